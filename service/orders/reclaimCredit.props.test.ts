import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TakenBack } from '../delivery/index.ts'
import { type Sun, sun } from '../kernel/index.ts'
import type { CreditedRow } from './reclaimCredit.sql.ts'
import { creditFor, creditsFor } from './reclaimCredit.ts'

const order = (price: bigint, before = 0n): CreditedRow => ({
  id: 'o',
  account: 'a',
  amount: 65_000n,
  receiver: 'T',
  price: sun(price) as Sun,
  source: 'api',
  trace: '',
  before,
})
const part = (given: Partial<TakenBack>): TakenBack => ({
  request: 'o',
  reclaimTxid: 't',
  provider: 'bazaar',
  whole: 65_000n,
  energy: 65_000n,
  stake: 6_500n,
  taken: 6_500n,
  seconds: 3_600n,
  at: new Date(0),
  ...given,
})

test('all of it, all of the hour: the price; half of it, half of the hour: a quarter', () => {
  expect(creditFor(order(1_950_000n), part({}))).toBe(1_950_000n)
  expect(creditFor(order(1_950_001n), part({ taken: 3_250n, seconds: 1_800n }))).toBe(487_500n)
  expect(creditFor(order(1_950_000n), part({ seconds: 0n }))).toBe(0n)
})

test('a seller who delegated more than was ordered: all of it is the price, no more', () => {
  const more = { whole: 66_000n, energy: 66_000n }
  expect(creditsFor([order(1_950_000n)], [part(more)])).toMatchObject([
    { amount: 1_950_000n, energy: 65_000n },
  ])
})

test('steps, each rounded down, and whatever was given before: never above the price', () => {
  const price = fc.bigInt({ min: 1n, max: 10n ** 12n })
  const takes = fc.array(
    fc.record({
      taken: fc.bigInt({ min: 1n, max: 6_500n }),
      seconds: fc.bigInt({ min: 0n, max: 3_600n }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  fc.assert(
    fc.property(price, takes, (whole, steps) => {
      let before = 0n
      for (const step of steps) {
        const [credit] = creditsFor([order(whole, before)], [part(step)])
        expect(credit!.amount).toBeGreaterThanOrEqual(0n)
        before += credit!.amount
      }
      expect(before).toBeLessThanOrEqual(whole)
    }),
  )
})
