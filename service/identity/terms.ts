import { type Refusal, refuse } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import type { Runtime } from '../kernel/index.ts'
import {
  type AcceptanceRow,
  insertAcceptance,
  insertText,
  listAcceptances,
  readFirstShown,
} from './terms.sql.ts'
import type { Accepted, Document, Said, TermsText } from './termsText.ts'

export type Current = TermsText & { since: Date }

export type Terms = {
  /** The texts of this process, in the order of pages. */
  texts: readonly TermsText[]
  /** The same with the day on which each version was shown first. */
  current(): Promise<Current[]>
  /** Keeps the texts for ever; once, at the start. */
  publish(): Promise<void>
  /** What is recorded with a new account, or why there is none. */
  judge(said: Said): Accepted[] | Refusal
  /** A client accepts in the workspace. */
  accept(account: string, said: Said): Promise<Refusal | undefined>
  /** Newest first. */
  acceptedBy(account: string): Promise<AcceptanceRow[]>
}

const LISTED = 100
const NAMES: Record<Document, string> = { terms: 'the terms', privacy: 'the privacy notice' }

/**
 * Terms and the privacy notice. Texts that the operator has set must be accepted at sign-up; the sandbox's samples may be, so
 * that programs sign up there as before.
 */
export function createTerms(deps: {
  db: Db
  runtime: Runtime
  texts: readonly TermsText[]
}): Terms {
  const { db, runtime, texts } = deps

  /** Another version than ours is refused even where none is needed: the person has read something else. */
  function judge(said: Said): Accepted[] | Refusal {
    const at = runtime.clock.now().toISOString()
    const accepted: Accepted[] = []
    for (const { document, version, sha256, isSample } of texts) {
      if (said[document] === version) accepted.push({ document, version, sha256, at })
      else if (said[document] !== undefined || !isSample) return refusalOf(document, version)
    }
    return accepted
  }

  return {
    texts,
    judge,
    async current() {
      const since = async ({ document, version }: TermsText) =>
        (await db.query(readFirstShown, [document, version]))[0]?.at ?? runtime.clock.now()
      return Promise.all(texts.map(async (text) => ({ ...text, since: await since(text) })))
    },
    async publish() {
      for (const { document, version, sha256, text, isSample } of texts) {
        const shown = [document, version, sha256, text, isSample, runtime.clock.now()]
        await db.query(insertText, shown)
      }
    },
    async accept(account, said) {
      const judged = texts.filter(({ document }) => said[document] !== undefined)
      for (const { document, version } of judged) {
        if (said[document] !== version) return refusalOf(document, version)
      }
      const at = runtime.clock.now().toISOString()
      const accepted = judged.map((text): Accepted => ({ ...text, at }))
      await db.transaction((tx) =>
        writeAccepted(tx, { account, accepted, place: 'workspace' }, runtime),
      )
      return undefined
    },
    acceptedBy: (account) => db.query(listAcceptances, [account, LISTED]),
  }
}

/** Also in the transaction that creates an account. */
export async function writeAccepted(
  tx: Tx,
  of: { account: string; accepted: readonly Accepted[]; place: AcceptanceRow['place'] },
  { ids }: Pick<Runtime, 'ids'>,
): Promise<void> {
  for (const { document, version, sha256, at } of of.accepted) {
    const row = [ids.next(), of.account, document, version, sha256, at, of.place]
    await tx.query(insertAcceptance, row)
  }
}

function refusalOf(document: Document, version: string): Refusal {
  const message = `Read and accept ${NAMES[document]} at /${document} first, version ${version}.`
  return refuse('terms_not_accepted', { message, document, version })
}
