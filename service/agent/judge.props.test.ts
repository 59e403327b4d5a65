import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Offer, unitsOf } from './config.ts'
import { bestGiven, type Given } from './judge.ts'

// Which offer applies to a payment, for any offers and any payment.

const offer: fc.Arbitrary<Offer> = fc.record({
  energyPerUnit: fc.bigInt({ min: 1n, max: 50n }),
  basePayment: fc.bigInt({ min: 1n, max: 50n }),
  maxUnits: fc.bigInt({ min: 1n, max: 5n }),
})
const offers = fc
  .tuple(offer, fc.array(offer, { maxLength: 6 }))
  .map(([current, earlier]): [Offer, ...Offer[]] => [current, ...earlier])
const amounts = fc.bigInt({ min: 0n, max: 200n })
const always = () => true

/** At one price of Energy: a sale that costs more than its base payments is refused. */
const soldAt =
  (price: bigint) =>
  ({ offer: { basePayment }, units, energy }: Given) =>
    energy * price <= units * basePayment

test('what is given is what one whole version of the offer gives', () => {
  fc.assert(
    fc.property(amounts, offers, (amount, all) => {
      const { offer: by, units, energy } = bestGiven(amount, all, always)
      expect(all).toContain(by)
      expect(units).toBe(unitsOf(amount, by))
      expect(energy).toBe(units * by.energyPerUnit)
    }),
  )
})

test('the payer never gets less than by the current offer, nor less than by any other', () => {
  fc.assert(
    fc.property(amounts, offers, (amount, all) => {
      const { energy } = bestGiven(amount, all, always)
      for (const one of all) {
        expect(energy).toBeGreaterThanOrEqual(unitsOf(amount, one) * one.energyPerUnit)
      }
    }),
  )
})

test('at a tie the current offer counts', () => {
  fc.assert(
    fc.property(amounts, offers, (amount, all) => {
      const { offer: by, energy } = bestGiven(amount, all, always)
      if (energy === unitsOf(amount, all[0]) * all[0].energyPerUnit) expect(by).toBe(all[0])
    }),
  )
})

test('where any offer can be sold, one that can be sold is taken', () => {
  fc.assert(
    fc.property(amounts, offers, fc.bigInt({ min: 0n, max: 5n }), (amount, all, price) => {
      const isSold = soldAt(price)
      const best = bestGiven(amount, all, isSold)
      const others = all.map((one) => bestGiven(amount, [one], isSold))
      const sold = others.filter((given) => given.units > 0n && isSold(given))
      if (sold.length > 0) {
        expect(isSold(best)).toBe(true)
        const most = sold.reduce((max, { energy }) => (energy > max ? energy : max), 0n)
        expect(best.energy).toBe(most)
      }
    }),
  )
})

test('units are 0 only where the payment is below every base payment', () => {
  fc.assert(
    fc.property(amounts, offers, (amount, all) => {
      const { units } = bestGiven(amount, all, () => false)
      expect(units === 0n).toBe(all.every(({ basePayment }) => amount < basePayment))
    }),
  )
})
