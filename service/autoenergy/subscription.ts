import type { Sun } from '../kernel/index.ts'

export type Subscription = {
  id: string
  account: string
  address: string
  status: 'pending_activation' | 'active' | 'closed'
  planName: string
  activationFee: Sun
  dailyFee: Sun
  unit65k: Sun
  unit131k: Sun
  termDays: bigint | null
  idleHours: bigint
  quota: bigint | null
  activation: bigint
  daysCharged: bigint
  used: bigint
  reserved: bigint
  requestedAt: Date
  activatedAt: Date | null
  paidAtRequest: boolean
  paidUntil: Date | null
  expireAt: Date | null
  lastActivityAt: Date | null
  closedAt: Date | null
  closeReason: string | null
  live: boolean
  deletedAt: Date | null
  createdAt: Date
}

export type CloseReason =
  | 'quota'
  | 'expired'
  | 'idle'
  | 'insufficient_balance'
  | 'manual'
  | 'activation_failed'
  | 'energy_used_by_others'

/** Something that falls due by time alone. */
export type TimeDue = { kind: 'day' | 'expired' | 'idle'; at: Date }

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** As long as an order has: Energy that is not there by then will not come. */
export const ACTIVATION_MS = 120_000

/** So long an address whose Energy others used is not covered again. */
export const BARRED_MS = 30 * DAY_MS

export function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms)
}

/**
 * What falls due next on a subscription without anybody doing anything. At a tie a charge comes before
 * a close. A closed one still owes the days that began before its close.
 */
export function nextDue(subscription: Subscription): TimeDue | undefined {
  const { status, paidUntil, closedAt, closeReason } = subscription
  if (status === 'pending_activation') return undefined
  if (status === 'closed') {
    const paysOn = closeReason !== 'insufficient_balance' && closeReason !== 'activation_failed'
    const isDue = paysOn && paidUntil !== null && paidUntil <= closedAt!
    return isDue ? { kind: 'day', at: paidUntil } : undefined
  }
  const { activatedAt, lastActivityAt, idleHours, expireAt } = subscription
  const idleAt = later(lastActivityAt ?? activatedAt!, Number(idleHours) * HOUR_MS)
  const all: TimeDue[] = [{ kind: 'day', at: paidUntil! }]
  if (expireAt) all.push({ kind: 'expired', at: expireAt })
  all.push({ kind: 'idle', at: idleAt })
  // Stable: what stands first wins a tie.
  return all.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0]
}
