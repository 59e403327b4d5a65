import { expect, test } from 'vitest'
import { sun } from '../kernel/index.ts'
import { forecastMonth } from './forecast.ts'

// Ten days of November are left.
const now = new Date('2030-11-21T00:00:00Z')
const costs = { charged: 100n, spentToday: 0n, spentThisMonth: 60n, spentInWeek: 70n }
const running = {
  status: 'active' as const,
  activatedAt: new Date('2030-11-01T00:00:00Z'),
  dailyFee: sun(3n),
  dailyBudget: null,
  monthlyBudget: null,
}
const forecast = (change: Partial<typeof running> = {}) =>
  forecastMonth({ ...running, ...change }, costs, now)

test('what was charged, and for each day that is left the fee and the average of seven days', () => {
  expect(forecast()).toBe(100n + 10n * (3n + 10n))
})

test('a subscription that is younger than a week is averaged over its own time, at least a day', () => {
  expect(forecast({ activatedAt: new Date('2030-11-19T00:00:00Z') })).toBe(100n + 10n * (3n + 35n))
  expect(forecast({ activatedAt: new Date('2030-11-20T23:59:00Z') })).toBe(100n + 10n * (3n + 70n))
})

test('budgets bound the transfers, not the fees', () => {
  expect(forecastMonth({ ...running, dailyBudget: 4n }, costs, now)).toBe(100n + 10n * (3n + 4n))
  expect(forecastMonth({ ...running, monthlyBudget: 75n }, costs, now)).toBe(100n + 10n * 3n + 15n)
  expect(forecastMonth({ ...running, monthlyBudget: 50n }, costs, now)).toBe(100n + 10n * 3n)
})

test('a closed one costs nothing more, and a pending one has no use yet', () => {
  expect(forecastMonth({ ...running, status: 'closed' }, costs, now)).toBe(100n)
  const pending = { ...running, status: 'pending_activation' as const, activatedAt: null }
  const none = { charged: 10n, spentToday: 0n, spentThisMonth: 0n, spentInWeek: 0n }
  expect(forecastMonth(pending, none, now)).toBe(10n + 10n * 3n)
})
