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
  /** What covered calls of a UTC day or month may cost before cover is paused. */
  dailyBudget: bigint | null
  monthlyBudget: bigint | null
  /** When cover returns; null while it is not paused. */
  pausedUntil: Date | null
  /** The end of the last pause of this run. */
  resumedAt: Date | null
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
  /** The key of the address signed for this account. */
  proven: boolean
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
  | 'account_blocked'

/** Something that falls due by time alone. */
export type TimeDue = { kind: 'day' | 'expired' | 'idle' | 'resume'; at: Date }

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** As long as an order has: Energy that is not there by then will not come. */
export const ACTIVATION_MS = 120_000

export function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms)
}

/** What a request for an activation costs. */
export type Entry = 'nothing' | 'day' | 'activation'

/**
 * Reactivation is free within a day already paid, else it costs the day. The activation fee is paid
 * again where it came back (it was never active), and where others used up what it pays for.
 */
export function entryOf(
  { paidUntil }: Pick<Subscription, 'paidUntil'>,
  { now, isFeeUsedUp }: { now: Date; isFeeUsedUp: boolean },
): Entry {
  if (paidUntil === null || isFeeUsedUp) return 'activation'
  return now < paidUntil ? 'nothing' : 'day'
}

/** What is known of an activation that is pending. */
type Pending = {
  requestedAt: Date
  now: Date
  /** Head state showed the whole level, at this block time. */
  wholeAt: Date | undefined
  /** The Energy is to go back, because the activation took too long. */
  isLeaving: boolean
  /** It is back, and all use of it is judged. */
  isGone: boolean
  /** The oldest call that is not decided, and whether it was made on Energy of ours. */
  call: { time: Date; isOnOurs: boolean } | undefined
}

/**
 * What becomes of it: active by what the node shows, or by a call that used the Energy before we
 * looked. It fails only when the Energy is back: what others took of it decides about the fee.
 */
export type PendingStep = 'wait' | 'activate' | 'activate_by_call' | 'ignore_call' | 'leave' | 'end'

export function decidePending({ call, wholeAt, ...pending }: Pending): PendingStep {
  if (pending.isLeaving) return pending.isGone ? 'end' : 'wait'
  if (call && !(wholeAt && wholeAt < call.time)) {
    return call.isOnOurs ? 'activate_by_call' : 'ignore_call'
  }
  if (wholeAt) return 'activate'
  return pending.now >= later(pending.requestedAt, ACTIVATION_MS) ? 'leave' : 'wait'
}

/** Why a pending activation ended. The fee comes back only if nobody took any of the Energy. */
export function endOfPending(takenByOthers: bigint): CloseReason {
  return takenByOthers > 0n ? 'energy_used_by_others' : 'activation_failed'
}

/**
 * The moment at which it has been idle for too long. It was active once. The clock stands during a
 * pause; a pause begins with a call, so the whole time is left when it ends.
 */
export function idleAt(subscription: Subscription): Date {
  const { lastActivityAt, activatedAt, resumedAt, idleHours } = subscription
  const active = lastActivityAt ?? activatedAt!
  return later(resumedAt && resumedAt > active ? resumedAt : active, Number(idleHours) * HOUR_MS)
}

/**
 * The next event of a subscription that is due by time alone. At a tie a close comes first, and the
 * day is not charged. A closed one still owes a day that began before its close, unless it should
 * have closed by itself at that moment or before: closing by hand costs no more than waiting.
 */
export function nextDue(subscription: Subscription): TimeDue | undefined {
  const { status, activatedAt, paidUntil, pausedUntil, expireAt } = subscription
  if (status === 'pending_activation' || !activatedAt) return undefined
  const all: TimeDue[] = expireAt ? [{ kind: 'expired', at: expireAt }] : []
  if (pausedUntil) all.push({ kind: 'resume', at: pausedUntil })
  else all.push({ kind: 'idle', at: idleAt(subscription) })
  all.push({ kind: 'day', at: paidUntil! })
  // Stable: what stands first wins a tie.
  const first = all.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0]!
  if (status === 'active') return first
  const { closedAt, closeReason } = subscription
  const paysOn = first.kind === 'day' && closeReason !== 'insufficient_balance'
  return paysOn && first.at < closedAt! ? first : undefined
}
