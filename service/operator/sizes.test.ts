import { afterAll, beforeAll, expect, test } from 'vitest'
import { flatSchedule, type Market, openMarket } from '../../proof/testing/market.ts'

// Sizes that cannot be sold now are said as such: by what is on offer, and by what it costs.

let market: Market
beforeAll(async () => {
  market = await openMarket()
  await market.settings({ schedule: flatSchedule(30) })
})
afterAll(() => market.close())

const selling = async () => (await market.rooms.operator.status()).selling
const sold = async () =>
  (await selling()).sizes.map(({ energy, why }) => [Number(energy), why] as const)

test('the bounds of an operator and the sizes between them are looked at', async () => {
  const { ok, sentence } = await selling()
  expect([ok, sentence]).toEqual([true, 'Selling; 65,000 Energy leave 0.975 TRX.'])
  const all = [32_000, 65_000, 131_000, 1_000_000, 5_000_000]
  expect(await sold()).toEqual(all.map((energy) => [energy, null]))
  await market.rooms.pricing.changeTerms({ minAmount: 40_000n, maxAmount: 131_000n })
  expect((await sold()).map(([energy]) => energy)).toEqual([40_000, 65_000, 131_000])
  await market.rooms.pricing.changeTerms({ minAmount: 32_000n, maxAmount: 5_000_000n })
})

test('what nobody can deliver is named, with the largest size that is sold', async () => {
  await market.provider({ capacity: 140_000 })
  const none = 'nobody offers this much'
  expect(await sold()).toEqual([
    [32_000, null],
    [65_000, null],
    [131_000, null],
    [1_000_000, none],
    [5_000_000, none],
  ])
  const { ok, sentence } = await selling()
  expect(ok).toBe(true)
  expect(sentence).toMatch(/ The largest size sold now is 131,000 Energy\.$/)
  // 65,000 alone would say that nobody sells anything.
  await market.provider({ capacity: 40_000 })
  expect(await selling()).toMatchObject({
    ok: true,
    sentence: 'Selling. The largest size sold now is 32,000 Energy.',
  })
  await market.provider({ capacity: 10_000 })
  expect(await selling()).toMatchObject({
    ok: false,
    sentence: 'Nobody offers Energy: every purchase is refused.',
  })
  await market.provider({ capacity: 500_000_000 })
})

test('what costs more than it brings is named with both figures', async () => {
  await market.provider({ price_sun: 31, capacity: 140_000 })
  const [first] = await sold()
  expect(first).toEqual([32_000, 'costs us 0.992 TRX, and the price is 0.96'])
  expect(await selling()).toMatchObject({
    ok: false,
    sentence: 'Every purchase is refused: costs us 0.992 TRX, and the price is 0.96.',
  })
  await market.provider({ price_sun: 28, capacity: 500_000_000 })
  await market.rooms.pricing.changeTerms({ marginFloor: 3n })
  expect((await sold())[1]).toEqual([
    65_000,
    'costs us 1.82 TRX and the margin floor, and the price is 1.95',
  ])
  expect((await selling()).sentence).toBe('Energy costs us more than this hour brings.')
})
