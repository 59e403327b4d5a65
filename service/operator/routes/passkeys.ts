import {
  deleteOperatorPasskey,
  getOperatorPasskeys,
  type HandledRoute,
  handle,
  isRefusal,
  patchOperatorPasskey,
  postOperatorPasskey,
  postOperatorPasskeyChallenge,
  postOperatorPasskeySignIn,
  postOperatorPasskeySignInChallenge,
  postOperatorStepUpChallenge,
  postOperatorStepUpPasskey,
  refuseFor,
} from '@ergon/contract'
import { enteredReply, passkeyReply, visitorOf } from '../../identity/index.ts'
import type { ConsoleDeps } from './deps.ts'

/** Without a session, as of clients: it tells nothing. */
export function passkeyChallengeRoute({ passkeys }: ConsoleDeps): HandledRoute {
  return handle(postOperatorPasskeySignInChallenge, (_caller, { headers, body }) =>
    passkeys.requestToSignIn(visitorOf(headers), body.second_step === true),
  )
}

export function passkeySignInRoute({ passkeys, guesses }: ConsoleDeps): HandledRoute {
  return handle(postOperatorPasskeySignIn, async ({ address }, { headers, body }) => {
    const wait = guesses.count(body.id, address)
    if (wait !== undefined) return refuseFor(wait)
    const entered = await passkeys.signIn(visitorOf(headers), body)
    if (!isRefusal(entered)) guesses.forget(body.id, address)
    return enteredReply(entered)
  })
}

/** Operators' own passkeys. What changes them is in the log of actions. */
export function passkeyRoutes({ passkeys, operator: { actions } }: ConsoleDeps): HandledRoute[] {
  const deedOf = (who: string, what: string) => ({
    who,
    what,
    subject: who,
    why: 'their own sign-in',
  })
  return [
    handle(getOperatorPasskeys, async (_caller, { headers }) => {
      const list = await passkeys.list(visitorOf(headers))
      return isRefusal(list) ? list : { passkeys: list.map(passkeyReply) }
    }),
    handle(postOperatorPasskeyChallenge, (_caller, { headers }) =>
      passkeys.requestToAdd(visitorOf(headers), undefined),
    ),
    handle(postOperatorPasskey, ({ account: who }, { headers, body }) =>
      actions.perform(deedOf(who, 'add_passkey'), async () => {
        const added = await passkeys.add(visitorOf(headers), body)
        if (isRefusal(added)) return added
        const { id, name } = added
        return { reply: passkeyReply(added), change: { passkey: id, name } }
      }),
    ),
    handle(patchOperatorPasskey, ({ account: who }, { headers, params: { id }, body }) =>
      actions.perform(deedOf(who, 'rename_passkey'), async () => {
        const renamed = await passkeys.rename(visitorOf(headers), id, body.name)
        if (isRefusal(renamed)) return renamed
        return { reply: passkeyReply(renamed), change: { passkey: id, name: renamed.name } }
      }),
    ),
    handle(deleteOperatorPasskey, ({ account: who }, { headers, params: { id } }) =>
      actions.perform(deedOf(who, 'remove_passkey'), async () => {
        const gone = await passkeys.remove(visitorOf(headers), id)
        return isRefusal(gone) ? gone : { reply: null, change: { passkey: id, name: gone.name } }
      }),
    ),
    handle(postOperatorStepUpChallenge, (_caller, { headers }) =>
      passkeys.requestToStepUp(visitorOf(headers)),
    ),
    handle(postOperatorStepUpPasskey, async (_caller, { headers, body }) => {
      const refusal = await passkeys.stepUp(visitorOf(headers), body)
      return refusal ?? {}
    }),
  ]
}
