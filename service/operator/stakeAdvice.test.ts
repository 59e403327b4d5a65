import { expect, test } from 'vitest'
import { adviceOf, yearlyBps } from './stakeAdvice.ts'

// 10 Energy a day for each TRX, as on a network with these totals.
const totals = { limit: 180_000_000_000n, weight: 18_000_000_000n }
const TRX = 1_000_000n

test('a stake sells its Energy once a day, and what a day wants beyond it is bought', () => {
  const days = [
    { day: '2026-11-01', energy: 4_000_000n, cost: 80n * TRX },
    { day: '2026-11-02', energy: 1_000_000n, cost: 30n * TRX },
    { day: '2026-11-03', energy: 400_000n, cost: 8n * TRX },
  ]
  const { steps, ...sums } = adviceOf(days, totals)
  expect(sums).toMatchObject({ days: 3n, bought: 5_400_000n, cost: 118n * TRX, busiest: days[0] })
  expect(steps).toEqual([
    { stake: 100_000n * TRX, perDay: 1_000_000n, sold: 2_400_000n, saved: 58n * TRX },
    { stake: 200_000n * TRX, perDay: 2_000_000n, sold: 3_400_000n, saved: 78n * TRX },
    { stake: 400_000n * TRX, perDay: 4_000_000n, sold: 5_400_000n, saved: 118n * TRX },
  ])
})

test('nothing is saved twice: all of the busiest day saves what was paid, and no more', () => {
  const days = Array.from({ length: 30 }, (_, place) => ({
    day: `2026-11-${place}`,
    energy: BigInt(1 + place * 7_919) * 13n,
    cost: BigInt(1 + place * 104_729),
  }))
  const advice = adviceOf(days, totals)
  expect(advice.steps.at(-1)).toMatchObject({ sold: advice.bought, saved: advice.cost })
  for (const { sold, saved, stake, perDay } of advice.steps) {
    expect(sold).toBeLessThanOrEqual(advice.bought)
    expect(saved).toBeLessThanOrEqual(advice.cost)
    expect((stake * totals.limit) / (totals.weight * TRX)).toBeGreaterThanOrEqual(perDay)
  }
})

test('a year is 365 of these days', () => {
  const [, , whole] = adviceOf([{ day: 'd', energy: 10n, cost: 3n * TRX }], totals).steps
  expect(whole!.stake).toBe(TRX)
  expect(yearlyBps(whole!)).toBe(365_000n)
})

test('without purchases, and without totals of the network, nothing is advised', () => {
  expect(adviceOf([], totals)).toMatchObject({ bought: 0n, busiest: undefined, steps: [] })
  const nothing = [{ day: 'd', energy: 0n, cost: 0n }]
  expect(adviceOf(nothing, totals).steps.map(({ stake, saved }) => stake + saved)).toEqual([
    0n,
    0n,
    0n,
  ])
  const some = [{ day: 'd', energy: 5n, cost: 5n }]
  expect(adviceOf(some, { limit: 0n, weight: 0n }).steps).toEqual([])
})
