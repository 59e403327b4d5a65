import type { Db, Tx } from '../db/index.ts'
import { assert, type Runtime, type Sun, sun } from '../kernel/index.ts'
import type { EntryType, OwnAccount, OwnKind, Posting } from './movement.ts'
import { createReadPeriods, type ReadPeriods } from './period.ts'
import { type Balance, createReadBalance } from './readBalance.ts'
import { createReadEntries, type ReadEntries } from './readEntries.ts'
import {
  lockAccounts,
  lockBalance,
  openAccount,
  openProviders,
  postMany,
  readLowThreshold,
  readOwed,
  readPeriod,
  refund,
  reserve,
  setLowThreshold,
  transfer,
  withholdMany,
} from './store.ts'

/** As it stands under the lock. `overdrawn`: below zero by a reversal, and nothing can be taken. */
export type LockedBalance = {
  balance: bigint
  reserved: bigint
  withheld: bigint
  overdrawn: boolean
}

/** Money that changes its place in our own books. */
export type Move = {
  kind: OwnKind
  reference: string
  from: OwnAccount
  to: OwnAccount
  amount: Sun
  description: string
}

export type Ledger = {
  open(tx: Tx, account: string): Promise<void>
  /** Accounts of our own for marketplaces; those that are there stay as they are. */
  openProviders(tx: Tx, names: readonly string[]): Promise<void>
  /** Always fresh, and the same object as long as nothing has moved. */
  balanceOf(account: string): Promise<Balance>
  entries: ReadEntries
  periods: ReadPeriods
  /** What was spent from one moment to another, and the balance at the later one. */
  period(tx: Tx, account: string, from: Date, to: Date): Promise<{ spent: Sun; balance: Sun }>
  lowThresholdOf(account: string): Promise<Sun | null>
  /** Below it the client is told, once per crossing; null ends that. */
  setLowThreshold(account: string, threshold: Sun | null): Promise<void>
  /** What we owe: to clients, and for orders under way. */
  owed(): Promise<{ clients: bigint; escrow: bigint }>
  /** Posts in the order given and returns the balances after each. Locks ledger accounts: nothing may be locked after it. */
  post(tx: Tx, postings: readonly Posting[]): Promise<Sun[]>
  /** Locks several accounts in their order, for a caller that then makes more than one change. */
  lock(tx: Tx, accounts: readonly string[]): Promise<void>
  /** Locks one account, and says what decides about taking from it. */
  lockBalance(tx: Tx, account: string): Promise<LockedBalance>
  /** Holds part of a balance (positive) or lets it go (negative); it stays part of the balance. */
  reserve(tx: Tx, account: string, amount: bigint): Promise<void>
  /** Makes part of balances unspendable (positive) or spendable again (negative). */
  withhold(tx: Tx, amounts: readonly { client: string; amount: bigint }[]): Promise<void>
  /** Between accounts of our own. */
  transfer(tx: Tx, moves: readonly Move[]): Promise<void>
  /** Gives a charge back whole, by copying its row. */
  refund(
    tx: Tx,
    charge: { kind: EntryType; reference: string; description: string; trace: string },
  ): Promise<Sun>
}

export function createLedger({ db, runtime }: { db: Db; runtime: Runtime }): Ledger {
  const { ids, clock } = runtime
  return {
    async open(tx, account) {
      await tx.query(openAccount, [account])
    },
    async openProviders(tx, names) {
      await tx.query(openProviders, [names])
    },
    balanceOf: createReadBalance(db),
    entries: createReadEntries({ db, runtime }),
    periods: createReadPeriods(db),
    async period(tx, account, from, to) {
      const [row] = await tx.query(readPeriod, [account, from, to])
      return { spent: sun(row!.spent), balance: sun(row!.balance) }
    },
    async lowThresholdOf(account) {
      const [row] = await db.query(readLowThreshold, [account])
      return row?.threshold == null ? null : sun(row.threshold)
    },
    async setLowThreshold(account, threshold) {
      await db.query(setLowThreshold, [account, threshold])
    },
    async owed() {
      const [row] = await db.query(readOwed)
      return row!
    },
    async post(tx, postings) {
      if (postings.length === 0) return []
      const now = clock.now()
      const column = <T>(pick: (posting: Posting) => T) => postings.map(pick)
      const rows = await tx.query(postMany, [
        column(() => ids.next()),
        column((p) => p.client),
        column((p) => p.kind),
        column((p) => p.reference),
        column((p) => p.amount),
        column((p) => p.counter),
        column((p) => p.description),
        column(() => now),
        column((p) => p.trace),
        column(() => ids.next()),
        column(() => ids.next()),
      ])
      return rows.map((row) => sun(row.balance))
    },
    async lock(tx, accounts) {
      await tx.query(lockAccounts, [accounts])
    },
    async lockBalance(tx, account) {
      const [row] = await tx.query(lockBalance, [account])
      assert(row, `account ${account} has no ledger account`)
      return row
    },
    async reserve(tx, account, amount) {
      if (amount !== 0n) await tx.query(reserve, [account, amount])
    },
    async withhold(tx, amounts) {
      if (amounts.length === 0) return
      await tx.query(withholdMany, [amounts.map((a) => a.client), amounts.map((a) => a.amount)])
    },
    async transfer(tx, moves) {
      if (moves.length === 0) return
      await tx.query(transfer, [
        moves.map(() => ids.next()),
        moves.map(({ kind }) => kind),
        moves.map(({ reference }) => reference),
        moves.map(({ from }) => from),
        moves.map(({ to }) => to),
        moves.map(({ amount }) => amount),
        moves.map(({ description }) => description),
        clock.now(),
      ])
    },
    async refund(tx, { kind, reference, description, trace }) {
      const own = [ids.next(), kind, reference, description, clock.now(), trace]
      const [row] = await tx.query(refund, [...own, ids.next(), ids.next()])
      return sun(row!.balance)
    },
  }
}
