import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sun } from '../kernel/index.ts'
import { admit, type CreditLimits } from './unverified.ts'

// The rule of unverified credit for any deposits in any order, with small numbers for TRX.

const limits: CreditLimits = {
  account: sun(100n),
  service: sun(300n),
  uncounted: sun(20n),
  shares: 5n,
}
const accounts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const arrivals = fc.array(
  fc.record({ account: fc.constantFrom(...accounts), amount: fc.bigInt({ min: 1n, max: 120n }) }),
  { maxLength: 40 },
)
const nothing = { accounts: new Map<string, bigint>(), service: 0n }

function sumsOf(credited: readonly { account: string; amount: bigint }[]) {
  const sums = new Map<string, bigint>()
  for (const { account, amount } of credited) sums.set(account, (sums.get(account) ?? 0n) + amount)
  const counted = [...sums.values()].map((sum) => (sum > 20n ? sum - 20n : 0n))
  return { sums, counted, service: counted.reduce((total, part) => total + part, 0n) }
}

test('no account and no service has more unverified credit than its limit', () => {
  fc.assert(
    fc.property(arrivals, (given) => {
      const { sums, counted, service } = sumsOf(admit(given, nothing, limits).credited)
      for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(100n)
      for (const part of counted) expect(part).toBeLessThanOrEqual(60n)
      expect(service).toBeLessThanOrEqual(300n)
    }),
  )
})

test('every deposit is credited or waits, each in the order in which it came', () => {
  fc.assert(
    fc.property(arrivals, (given) => {
      const { credited, waiting } = admit(given, nothing, limits)
      expect(credited).toEqual(given.filter((one) => credited.includes(one)))
      expect(waiting).toEqual(given.filter((one) => !credited.includes(one)))
    }),
  )
})

test('blocks one after the other admit what one block with all of them does', () => {
  fc.assert(
    fc.property(arrivals, arrivals, (first, second) => {
      const before = admit(first, nothing, limits).credited
      const { sums, service } = sumsOf(before)
      const after = admit(second, { accounts: sums, service }, limits).credited
      expect([...before, ...after]).toEqual(admit([...first, ...second], nothing, limits).credited)
    }),
  )
})

test('a small deposit of a new account is credited whatever the service has lent', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 1_000n }),
      fc.bigInt({ min: 1n, max: 20n }),
      (service, amount) => {
        const small = [{ account: 'new', amount }]
        const { credited, isServiceFull } = admit(small, { accounts: new Map(), service }, limits)
        expect([credited, isServiceFull]).toEqual([small, false])
      },
    ),
  )
})

test("the service's limit is named as the reason only where it is", () => {
  const large = [{ account: 'a', amount: 101n }]
  expect(admit(large, nothing, limits).isServiceFull).toBe(false)
  const fits = [{ account: 'a', amount: 60n }]
  expect(admit(fits, { ...nothing, service: 299n }, limits)).toMatchObject({
    credited: [],
    waiting: fits,
    isServiceFull: true,
  })
})

test('an account with a limit of its own has at most that, whatever the others have', () => {
  fc.assert(
    fc.property(arrivals, fc.bigInt({ min: 0n, max: 200n }), (given, most) => {
      const own = new Map([['a', most]])
      const { sums } = sumsOf(admit(given, nothing, { ...limits, own }).credited)
      expect(sums.get('a') ?? 0n).toBeLessThanOrEqual(most)
      for (const [account, sum] of sums) if (account !== 'a') expect(sum).toBeLessThanOrEqual(100n)
    }),
  )
})

test('a limit of its own above that of everybody lends more', () => {
  const own = new Map([['a', 75n]])
  const most = { ...limits, account: sun(40n), own }
  expect(admit([{ account: 'a', amount: 70n }], nothing, most).credited).toHaveLength(1)
  expect(admit([{ account: 'b', amount: 70n }], nothing, most).credited).toEqual([])
})
