import { getTerms, type HandledRoute, handle, postTerms } from '@ergon/contract'
import type { Terms } from './terms.ts'
import type { Said } from './termsText.ts'

/** Versions that a request names as accepted. */
export const saidIn = (body: {
  terms_version?: string | undefined
  privacy_version?: string | undefined
}): Said => ({ terms: body.terms_version, privacy: body.privacy_version })

/** What a client has accepted, and what is new since. */
export function termsRoutes({ terms }: { terms: Terms }): HandledRoute[] {
  async function reply(account: string) {
    const [current, accepted] = await Promise.all([terms.current(), terms.acceptedBy(account)])
    return {
      documents: current.map(({ document, version, isSample, since }) => {
        const last = accepted.find((one) => one.document === document)
        const isAccepted = last?.version === version
        return {
          document,
          version,
          since: since.toISOString(),
          is_sample: isSample,
          accepted_at: isAccepted ? last.at.toISOString() : null,
          // Nobody is asked to accept a sample.
          is_asked: !isAccepted && !isSample,
        }
      }),
    }
  }
  return [
    handle(getTerms, ({ account }) => reply(account)),
    handle(postTerms, async ({ account }, { body }) => {
      const refusal = await terms.accept(account, saidIn(body))
      return refusal ?? reply(account)
    }),
  ]
}
