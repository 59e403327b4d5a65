import { expect, test } from 'vitest'
import type { Offer } from '../providers/index.ts'
import { explain } from './choice.ts'

const offer: Offer = {
  provider: 'bazaar',
  unitPrice: 50n,
  capacity: 0n,
  minimum: 32_000n,
  surchargeBelow: 0n,
  surcharge: 0n,
  fillBps: 10_000n,
}
const taken = { provider: 'own_stake', energy: 65_000n, unitPrice: 30n, cost: 1_950_000n }
const wanted = { energy: 65_000n, at: new Date('2030-01-01T10:00:00Z'), tried: [] }

test.each([
  ['all of the order', 65_000n, 'dearer'],
  ['less than the order', 64_999n, 'cannot carry it alone, and a split is dearer'],
  ['its minimum exactly', 32_000n, 'cannot carry it alone, and a split is dearer'],
  ['less than its minimum', 31_999n, 'has no room'],
])('why a provider was not taken that has room for %s', (_what, capacity, why) => {
  const market = { offers: [{ ...offer, capacity }], absent: [] }
  const { considered } = explain(market, wanted, [taken])
  expect(considered).toMatchObject([{ provider: 'bazaar', taken: '0', why }])
})
