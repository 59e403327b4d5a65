import {
  getSandboxClock,
  type HandledRoute,
  handle,
  postSandboxAccount,
  postSandboxClock,
  postSandboxRemoveUser,
  refuse,
} from '@ergon/contract'
import type { Accounts } from '../identity/index.ts'
import { type Clock, isUuid, parseTrx, type Sun } from '../kernel/index.ts'

export type SandboxDeps = {
  accounts: Accounts
  clock: Clock
  depositAddressOf(account: string): Promise<string>
  /** Sends TRX from a funded key to an account's deposit address. */
  fund(address: string, amount: Sun): Promise<void>
  /** Moves business time and the chain; resolves when the scanner has followed. */
  advance(ms: number): Promise<void>
}

export function sandboxApiRoutes(deps: SandboxDeps): HandledRoute[] {
  const { accounts, clock } = deps
  const now = () => ({ now: clock.now().toISOString() })
  return [
    handle(postSandboxAccount, async (_caller, { body }) => {
      const deposit = parseTrx(body.deposit_trx ?? '0')
      if (deposit === undefined || deposit < 0n) {
        const message = 'deposit_trx must be a decimal with at most 6 places, such as "100".'
        return refuse('validation_error', { message })
      }
      const { account, apiKey } = await accounts.create(body.name ?? 'sandbox')
      const address = await deps.depositAddressOf(account)
      if (deposit > 0n) await deps.fund(address, deposit)
      return { account_id: account, api_key: apiKey, deposit_address: address }
    }),
    handle(postSandboxRemoveUser, async (_caller, { params }) => ({
      removed: isUuid(params.id) && (await accounts.removeUser(params.id)),
    })),
    handle(getSandboxClock, now),
    handle(postSandboxClock, async (_caller, { body }) => {
      await deps.advance(body.advance_seconds * 1_000)
      return now()
    }),
  ]
}
