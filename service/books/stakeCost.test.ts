import { expect, test } from 'vitest'
import { withStakeCost } from './stakeCost.ts'
import type { FigureRow } from './store.ts'

const NONE = { day: null, month: null, product: null, client: null, provider: null }
const row = (names: Partial<FigureRow>, margin: bigint) => {
  const zero = { revenue: 0n, refunds: 0n, rewards: 0n, providerCost: 0n, networkFees: 0n }
  const rest = { goodwill: 0n, returned: 0n, completed: 0n, failed: 0n }
  return { ...NONE, ...zero, ...rest, margin, ...names } as FigureRow
}
const DAYS = [
  { day: '2026-10-31', cost: 3n },
  { day: '2026-11-01', cost: 4n },
]
const shown = (rows: FigureRow[], groups: Parameters<typeof withStakeCost>[1]) =>
  withStakeCost(rows, groups, DAYS).map(
    ({ day, month, product, provider, margin, stakeCost, marginAfterStake }) => [
      [day, month, product, provider].filter(Boolean).join(' '),
      margin,
      stakeCost,
      marginAfterStake,
    ],
  )

test('a day without sales has its cost, and days come in their order', () => {
  expect(shown([row({ day: '2026-11-01' }, 10n)], ['day'])).toEqual([
    ['2026-10-31', 0n, 3n, -3n],
    ['2026-11-01', 10n, 4n, 6n],
  ])
})

test('of the providers own stake has all of it, and months have that of their days', () => {
  expect(shown([row({ provider: 'bazaar' }, 10n)], ['provider'])).toEqual([
    ['bazaar', 10n, 0n, 10n],
    ['own_stake', 0n, 7n, -7n],
  ])
  expect(shown([row({ month: '2026-11' }, 1n)], ['month'])).toEqual([
    ['2026-10', 0n, 3n, -3n],
    ['2026-11', 1n, 4n, -3n],
  ])
  expect(shown([row({}, 9n)], [])).toEqual([['', 9n, 7n, 2n]])
})

test('products and clients share one stake: nothing is divided, and no row is added', () => {
  const rows = [row({ product: 'api' }, 10n)]
  expect(shown(rows, ['product'])).toEqual([['api', 10n, null, null]])
  expect(shown([row({ client: 'c', day: '2026-11-01' }, 1n)], ['day', 'client'])).toEqual([
    ['2026-11-01', 1n, null, null],
  ])
})
