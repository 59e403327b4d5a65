import { expect, test } from 'vitest'
import { sun } from '../kernel/index.ts'
import { entryOf, later, nextDue, type Subscription } from './subscription.ts'

const HOUR_MS = 3_600_000
const activatedAt = new Date('2030-01-01T10:00:00Z')
const hours = (count: number) => later(activatedAt, count * HOUR_MS)

/** Active since 10:00, paid for 24 hours, never used, closed after 24 idle hours. */
const unused: Subscription = {
  id: 'subscription',
  account: 'account',
  address: 'address',
  status: 'active',
  planName: 'standard',
  activationFee: sun(10n),
  dailyFee: sun(1n),
  unit65k: sun(2n),
  unit131k: sun(4n),
  termDays: null,
  idleHours: 24n,
  quota: null,
  dailyBudget: null,
  monthlyBudget: null,
  pausedUntil: null,
  resumedAt: null,
  activation: 1n,
  daysCharged: 0n,
  used: 0n,
  reserved: 4n,
  requestedAt: activatedAt,
  activatedAt,
  paidAtRequest: true,
  paidUntil: hours(24),
  expireAt: null,
  lastActivityAt: null,
  closedAt: null,
  closeReason: null,
  live: true,
  proven: false,
  deletedAt: null,
  createdAt: activatedAt,
}
const closed = (at: Date, closeReason = 'manual'): Partial<Subscription> => ({
  status: 'closed',
  closedAt: at,
  closeReason,
})
const due = (change: Partial<Subscription>) => nextDue({ ...unused, ...change })

test('at the moment a day begins, idleness and expiry come before its charge', () => {
  expect(due({})).toEqual({ kind: 'idle', at: hours(24) })
  const expireAt = hours(24)
  expect(due({ idleHours: 48n, expireAt })).toEqual({ kind: 'expired', at: expireAt })
  expect(due({ expireAt })).toEqual({ kind: 'expired', at: expireAt })
  expect(due({ idleHours: 48n })).toEqual({ kind: 'day', at: hours(24) })
  expect(due({ lastActivityAt: later(activatedAt, 1) })).toEqual({ kind: 'day', at: hours(24) })
})

test.each(['manual', 'quota', 'energy_used_by_others'])(
  'closed as %s: the day that began before the close is due, the one that would begin with it is not',
  (reason) => {
    const used = { idleHours: 48n, lastActivityAt: hours(1) }
    expect(due({ ...used, ...closed(later(hours(24), 1), reason) })).toMatchObject({ kind: 'day' })
    expect(due({ ...used, ...closed(hours(24), reason) })).toBeUndefined()
    expect(due({ ...used, ...closed(hours(23), reason) })).toBeUndefined()
  },
)

test('closed by hand after it should have closed by itself: the days from then on are not due', () => {
  const late = closed(hours(25))
  expect(due(late)).toBeUndefined()
  expect(due({ ...late, idleHours: 48n, expireAt: hours(24) })).toBeUndefined()
  // A call that is read later moves the idle moment, and the day is due again.
  expect(due({ ...late, lastActivityAt: hours(2) })).toEqual({ kind: 'day', at: hours(24) })
})

test('a day that could not be paid is not due again', () => {
  expect(due({ idleHours: 48n, ...closed(hours(25), 'insufficient_balance') })).toBeUndefined()
})

test('a run that ended before it was active owes no day of an earlier run', () => {
  const ended = closed(hours(100), 'energy_used_by_others')
  expect(due({ ...ended, activation: 2n, activatedAt: null, idleHours: 72n })).toBeUndefined()
})

test('who comes back at the moment the paid day ends pays for the next one', () => {
  const entry = (now: Date) => entryOf(unused, { now, isFeeUsedUp: false })
  expect([later(hours(24), -1), hours(24)].map(entry)).toEqual(['nothing', 'day'])
})

test('while it is paused it is not idle: its return and its days are due', () => {
  const paused = { lastActivityAt: hours(1), pausedUntil: hours(90) }
  expect(due(paused)).toEqual({ kind: 'day', at: hours(24) })
  const paid = { ...paused, paidUntil: hours(96) }
  expect(due(paid)).toEqual({ kind: 'resume', at: hours(90) })
  expect(due({ ...paid, expireAt: hours(90) })).toEqual({ kind: 'expired', at: hours(90) })
})

test('at the moment a day begins the return comes before its charge, for it may close', () => {
  expect(due({ pausedUntil: hours(24) })).toEqual({ kind: 'resume', at: hours(24) })
})

test('after a pause all idle hours are left, and a later call counts anew', () => {
  const resumed = { lastActivityAt: hours(1), resumedAt: hours(90), paidUntil: hours(999) }
  expect(due(resumed)).toEqual({ kind: 'idle', at: hours(114) })
  expect(due({ ...resumed, lastActivityAt: hours(100) })).toEqual({ kind: 'idle', at: hours(124) })
})
