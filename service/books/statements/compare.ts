import type { Tx } from '../../db/index.ts'
import type { Runtime } from '../../kernel/index.ts'
import {
  addToDay,
  closeSettled,
  dropVanished,
  matchCharges,
  readDifferent,
  readOpenSince,
  readPaid,
  readSettled,
  writeDays,
  writeDifferences,
} from './compare.sql.ts'
import { kindOf } from './kind.ts'
import { daysBefore } from './night.ts'
import { keepAnchor, type SourceRow } from './run.sql.ts'

/** Orders of the last minutes may not be in its list yet; without a charge they are compared the next time. */
const LATE_MS = 600_000
const DAY_MS = 86_400_000
/** What differed until an anchor is carried on, so that a balance is not compared since years. */
const ANCHOR_MS = 7 * DAY_MS
/** The subject of what a balance differs by. */
const BALANCE = 'balance'

export type Anchor = {
  anchorAt: Date | null
  anchor: bigint | null
  balance: bigint | null
  carried: bigint
}

/** Compares orders one by one, since a time; returns since when some are not over. */
export async function compareOrders(
  tx: Tx,
  runtime: Runtime,
  { provider, beganAt, openSince }: SourceRow,
  from: Date,
): Promise<Date | null> {
  const now = runtime.clock.now()
  const since = openSince && openSince < from ? daysBefore(openSince, 0) : from
  const till = new Date(beganAt.getTime() - LATE_MS)
  // What they took off their statement is charged no more.
  await tx.query(dropVanished, [provider, from, beganAt])
  await tx.query(matchCharges, [provider, since])
  const different = await tx.query(readDifferent, [provider, since, till])
  await tx.query(writeDifferences, [
    provider,
    different.map(() => runtime.ids.next()),
    different.map(({ subject }) => subject),
    different.map(({ day }) => day),
    different.map(kindOf),
    different.map(({ orderId }) => orderId),
    different.map(({ attemptId }) => attemptId),
    different.map(({ charged, refunded }) => charged - refunded),
    different.map(({ ours }) => ours),
    now,
  ])
  const still = different.map(({ subject }) => subject)
  await tx.query(closeSettled, [provider, false, still, now])
  await tx.query(writeDays, [provider, since, till, since, now])
  return (await tx.query(readOpenSince, [provider, since]))[0]!.since
}

/**
 * Compares what the balance fell by with what was booked, in one sum since the anchor: what is uncertain in one night is
 * certain in the next. So is a top-up on its way. One that somebody else has paid makes the balance rise, and a person says so.
 */
export async function compareBalance(
  tx: Tx,
  { runtime, lease }: { runtime: Runtime; lease: string },
  { provider, readUpto }: SourceRow,
  read: { anchor: Anchor; balance: bigint; at: Date; pending: bigint },
): Promise<void> {
  const now = runtime.clock.now()
  const { balance, at } = read
  const { anchorAt, anchor, carried } = read.anchor
  const keep = (since: Date, of: bigint, rest: bigint) =>
    tx.query(keepAnchor, [provider, lease, since, of, balance, rest])
  if (anchorAt === null || anchor === null) return void (await keep(at, balance, 0n))
  const { ours, uncertain: open } = (await tx.query(readPaid, [provider, anchorAt, at]))[0]!
  const uncertain = open + read.pending
  const { amount: settled } = (await tx.query(readSettled, [provider, BALANCE]))[0]!
  const fell = carried + anchor - balance
  const [theirs, known] = [fell - settled, ours]
  const amount = theirs - known
  const size = amount < 0n ? -amount : amount
  const day = (readUpto ?? anchorAt).toISOString().slice(0, 10)
  if (size > uncertain) {
    const one = [[runtime.ids.next()], [BALANCE], [day], ['balance'], [null], [null], [theirs]]
    await tx.query(writeDifferences, [provider, ...one, [known], now])
  } else if (amount === 0n) {
    await tx.query(closeSettled, [provider, true, [], now])
  }
  const last = (await tx.query(readPaid, [provider, readUpto ?? anchorAt, at]))[0]!
  const today = [(read.anchor.balance ?? anchor) - balance, last.expected, last.attempts]
  await tx.query(addToDay, [provider, day, ...today, now])
  const isOld = at.getTime() - anchorAt.getTime() > ANCHOR_MS && uncertain === 0n
  if (isOld) await keep(at, balance, fell - ours)
  else await keep(anchorAt, anchor, carried)
}

/** Whether no order is under way: the first balance is taken then. */
export async function isQuiet(tx: Tx, provider: string, at: Date): Promise<boolean> {
  const since = new Date(at.getTime() - DAY_MS)
  return (await tx.query(readPaid, [provider, since, at]))[0]!.uncertain === 0n
}
