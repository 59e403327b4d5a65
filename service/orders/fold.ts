import { createApart, type Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { foldPairs, unfoldedAccounts } from './fold.sql.ts'

export type Folding = {
  /** Marks accounts with new orders; the next round folds them. */
  note(accounts: readonly string[]): void
  loop: Loop
}

const ROWS = 2_000
const ACCOUNTS = 50
const SWEEP_ACCOUNTS = 500
const SWEEP_MS = 600_000
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000'

/**
 * Updates the filter tables of GET /orders after the purchases. Only speed depends on it: a reader
 * scans orders that are not folded yet. A sweep, at start and from time to time, finds accounts that
 * a crash forgot.
 */
export function createFolding({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Folding {
  const waiting = new Set<string>()
  let sweptTo: string | undefined = FIRST_ACCOUNT
  let sweptAtMs = clock.elapsedMs()
  const apart = createApart({ db, clock, log }, { loop: 'orders.fold', kind: 'account' })

  /** Returns false after the last account. */
  async function sweep(): Promise<boolean> {
    if (sweptTo === undefined && clock.elapsedMs() - sweptAtMs < SWEEP_MS) return false
    const accounts = await db.query(unfoldedAccounts, [sweptTo ?? FIRST_ACCOUNT, SWEEP_ACCOUNTS])
    for (const { account, behind } of accounts) if (behind > 0n) waiting.add(account)
    sweptTo = accounts.length === SWEEP_ACCOUNTS ? accounts.at(-1)!.account : undefined
    sweptAtMs = clock.elapsedMs()
    return sweptTo !== undefined
  }

  async function fold(account: string): Promise<void> {
    const [row] = await db.query(foldPairs, [account, ROWS])
    if (row!.folded < BigInt(ROWS)) waiting.delete(account)
  }

  return {
    note: (accounts) => {
      for (const account of accounts) waiting.add(account)
    },
    loop: createLoop({
      name: 'orders.fold',
      everyMs: 1_000,
      log,
      async work() {
        const more = await sweep()
        const aside = new Set(apart.waiting())
        const some = [...waiting].filter((account) => !aside.has(account)).slice(0, ACCOUNTS)
        await apart.each(some, (account) => account, fold)
        return waiting.size - apart.waiting().length + (more ? 1 : 0)
      },
    }),
  }
}
