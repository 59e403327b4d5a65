import type { Db, Tx } from '../db/index.ts'
import { assert, createTurns, type Runtime, type Sun, sun } from '../kernel/index.ts'
import { type Blocks, createBlocks } from './block.ts'
import {
  ENTRY_TYPES,
  type EntryType,
  OWN_KINDS,
  type OwnAccount,
  type OwnKind,
  type Posting,
} from './movement.ts'
import { createReadPeriods, type ReadPeriods } from './period.ts'
import { type Balance, createReadBalance } from './readBalance.ts'
import {
  createReadEntries,
  createServiceSecret,
  type ReadEntries,
  type ServiceSecret,
} from './readEntries.ts'
import {
  lockAccounts,
  lockBalance,
  type OwedRow,
  openAccount,
  openProviders,
  postMany,
  type ReferringRow,
  readLowThreshold,
  readOwed,
  readPeriod,
  readReferring,
  refund,
  reserve,
  setLowThreshold,
  transfer,
  withholdMany,
} from './store.ts'

/** Balance under the lock. `overdrawn`: negative after a reversal, so nothing can be charged. */
export type LockedBalance = {
  balance: bigint
  reserved: bigint
  withheld: bigint
  overdrawn: boolean
}

/** A movement between system accounts. */
export type Move = {
  kind: OwnKind
  reference: string
  from: OwnAccount
  to: OwnAccount
  amount: Sun
  description: string
}

/** Changes of one client at a time: each may wait for its account on a connection. */
const CHANGES_AT_ONCE = 2

export type Ledger = {
  open(tx: Tx, account: string): Promise<void>
  /** Accounts of our own for marketplaces; those that are there stay as they are. */
  openProviders(tx: Tx, names: readonly string[]): Promise<void>
  /** The current balance, read from the database. */
  balanceOf(account: string): Promise<Balance>
  /** Clients that operators have blocked. */
  blocks: Blocks
  entries: ReadEntries
  /** Seals the cursors of all rooms. */
  cursorSecret: ServiceSecret
  periods: ReadPeriods
  /** Movements of an order and of what delivered it, in order of time; at most 200. */
  referring(references: readonly string[]): Promise<ReferringRow[]>
  /** The amount spent between two times, and the balance at the later one. */
  period(tx: Tx, account: string, from: Date, to: Date): Promise<{ spent: Sun; balance: Sun }>
  lowThresholdOf(account: string): Promise<Sun | null>
  /** `balance.low` is emitted once per crossing of the threshold; null disables it. */
  setLowThreshold(account: string, threshold: Sun | null): Promise<void>
  /** What we owe: to clients, and for open orders; and what the books have on deposit addresses. */
  owed(tx?: Tx): Promise<OwedRow>
  /** Posts in the order given and returns the balances after each. Locks ledger accounts: nothing may be locked after it. */
  post(tx: Tx, postings: readonly Posting[]): Promise<Sun[]>
  /** Locks several accounts in their order, for a caller that then makes more than one change. */
  lock(tx: Tx, accounts: readonly string[]): Promise<void>
  /** Locks one account and returns its balance, reserved and withheld parts. */
  lockBalance(tx: Tx, account: string): Promise<LockedBalance>
  /** Reserves part of a balance (positive) or releases it (negative); it stays part of the balance. */
  reserve(tx: Tx, account: string, amount: bigint): Promise<void>
  /** Makes part of balances unspendable (positive) or spendable again (negative). */
  withhold(tx: Tx, amounts: readonly { client: string; amount: bigint }[]): Promise<void>
  /** Books between system accounts. */
  transfer(tx: Tx, moves: readonly Move[]): Promise<void>
  /** Refunds a charge in full, by copying its row. */
  refund(
    tx: Tx,
    charge: { kind: EntryType; reference: string; description: string; trace: string },
  ): Promise<Sun>
}

export function createLedger({ db, runtime }: { db: Db; runtime: Runtime }): Ledger {
  const { ids, clock } = runtime
  const turns = createTurns(CHANGES_AT_ONCE)
  const cursorSecret = createServiceSecret({ db, runtime })
  return {
    async open(tx, account) {
      await tx.query(openAccount, [account])
    },
    async openProviders(tx, names) {
      await tx.query(openProviders, [names])
    },
    balanceOf: createReadBalance(db),
    blocks: createBlocks({ db, clock }),
    entries: createReadEntries(db, cursorSecret),
    cursorSecret,
    periods: createReadPeriods(db),
    referring: (references) =>
      db.query(readReferring, [[...ENTRY_TYPES, ...OWN_KINDS], references]),
    async period(tx, account, from, to) {
      const [row] = await tx.query(readPeriod, [account, from, to])
      return { spent: sun(row!.spent), balance: sun(row!.balance) }
    },
    async lowThresholdOf(account) {
      const [row] = await db.query(readLowThreshold, [account])
      return row?.threshold == null ? null : sun(row.threshold)
    },
    async setLowThreshold(account, threshold) {
      await turns(account, () => db.query(setLowThreshold, [account, threshold]))
    },
    async owed(tx) {
      const [row] = await (tx ?? db).query(readOwed)
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
