import { type Refusal, refuse } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import type { Clock } from '../kernel/index.ts'
import { blockAccount, readBlock, unblockAccount } from './store.ts'

/** Why a client cannot buy, in words for the client. */
export type Block = { reason: string; since: Date }

export type Blocks = {
  /** Undefined: not blocked. Inside a transaction that holds the account it stays what it is. */
  of(account: string, tx?: Tx): Promise<Block | undefined>
  /** From its commit on nothing is sold to the account. False: there is no such account. */
  set(account: string, reason: string): Promise<boolean>
  /** False: it was not blocked. */
  lift(account: string): Promise<boolean>
}

export function createBlocks({ db, clock }: { db: Db; clock: Clock }): Blocks {
  return {
    async of(account, tx) {
      const [row] = await (tx ?? db).query(readBlock, [account])
      return row?.reason && row.since ? { reason: row.reason, since: row.since } : undefined
    },
    async set(account, reason) {
      const [row] = await db.query(blockAccount, [account, reason, clock.now()])
      return row!.done
    },
    lift: async (account) => (await db.query(unblockAccount, [account]))[0]!.done,
  }
}

/** The refusal of everything that would cost a blocked client money. */
export function accountBlocked(reason: string): Refusal {
  return refuse('account_blocked', { message: blockedWords(reason), reason })
}

export function blockedWords(reason: string): string {
  return `This account is blocked: ${reason} Nothing was charged. Reading works as before; write to support.`
}
