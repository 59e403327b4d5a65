import {
  deletePasskey,
  getPasskeys,
  type HandledRoute,
  handle,
  isRefusal,
  patchPasskey,
  postPasskey,
  postPasskeyChallenge,
  postPasskeySignIn,
  postPasskeySignInChallenge,
  postStepUpChallenge,
  postStepUpPasskey,
  refuseFor,
} from '@ergon/contract'
import type { Passkey, Passkeys } from './passkeys.ts'
import { enteredReply, type Guesses, visitorOf } from './replies.ts'

export function passkeyReply({ id, name, synced, createdAt, lastUsedAt }: Passkey) {
  return {
    id,
    name,
    synced,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }
}

/** Without a session. The challenge costs a row and tells nothing, so it has a limit of its own. */
export function passkeyChallengeRoutes({ passkeys }: { passkeys: Passkeys }): HandledRoute[] {
  return [
    handle(postPasskeySignInChallenge, (_caller, { headers, body }) =>
      passkeys.requestToSignIn(visitorOf(headers), body.second_step === true),
    ),
  ]
}

export function passkeySignInRoute({
  passkeys,
  guesses,
}: {
  passkeys: Passkeys
  guesses: Guesses
}): HandledRoute {
  return handle(postPasskeySignIn, async ({ address }, { headers, body }) => {
    const wait = guesses.count(body.id, address)
    if (wait !== undefined) return refuseFor(wait)
    const entered = await passkeys.signIn(visitorOf(headers), body)
    if (!isRefusal(entered)) guesses.forget(body.id, address)
    return enteredReply(entered)
  })
}

/** With a session. */
export function passkeyRoutes({ passkeys }: { passkeys: Passkeys }): HandledRoute[] {
  return [
    handle(getPasskeys, async (_caller, { headers }) => {
      const list = await passkeys.list(visitorOf(headers))
      return isRefusal(list) ? list : { passkeys: list.map(passkeyReply) }
    }),
    handle(postPasskeyChallenge, (_caller, { headers, body }) =>
      passkeys.requestToAdd(visitorOf(headers), body.password),
    ),
    handle(postPasskey, async (_caller, { headers, body }) => {
      const added = await passkeys.add(visitorOf(headers), body)
      return isRefusal(added) ? added : passkeyReply(added)
    }),
    handle(patchPasskey, async (_caller, { headers, params: { id }, body }) => {
      const renamed = await passkeys.rename(visitorOf(headers), id, body.name)
      return isRefusal(renamed) ? renamed : passkeyReply(renamed)
    }),
    handle(deletePasskey, async (_caller, { headers, params: { id } }) => {
      const gone = await passkeys.remove(visitorOf(headers), id)
      return isRefusal(gone) ? gone : null
    }),
    handle(postStepUpChallenge, (_caller, { headers }) =>
      passkeys.requestToStepUp(visitorOf(headers)),
    ),
    handle(postStepUpPasskey, async (_caller, { headers, body }) => {
      const refusal = await passkeys.stepUp(visitorOf(headers), body)
      return refusal ?? {}
    }),
  ]
}
