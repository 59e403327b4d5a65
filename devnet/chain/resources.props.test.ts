import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noUsage, remaining, undelegate, unitsOfStake, use } from './resources.ts'

type Side = { usage: number; ageSlots: number; stakeForResource?: number }
const vectors = JSON.parse(
  readFileSync(new URL('../vectors/resource-model.json', import.meta.url), 'utf8'),
) as {
  cases: {
    name: string
    owner: Side
    receiver: Side
    undelegate: number
    expectOwnerUsage: number
    expectReceiverUsage: number
  }[]
  energyLimit: {
    TotalEnergyLimit: number
    TotalEnergyWeight: number
    examples: { stakeSun: number; energy: number }[]
  }
}

describe('resource-model.json, from java-tron’s own unit tests', () => {
  const now = 100_000
  const usageOf = ({ usage, ageSlots }: Side) => ({
    used: BigInt(usage),
    slot: now - ageSlots,
    window: 28_800_000n,
  })

  test.each(vectors.cases)('$name', (vector) => {
    const moved = undelegate({
      owner: usageOf(vector.owner),
      receiver: usageOf(vector.receiver),
      receiverStake: BigInt(vector.receiver.stakeForResource!),
      amount: BigInt(vector.undelegate),
      // java-tron's tests stake everything there is, one unit per SUN, so the limit has no effect.
      pool: { limit: 10n ** 12n, weight: 10n ** 3n },
      now,
    })
    expect(Number(moved.owner.used)).toBe(vector.expectOwnerUsage)
    expect(Number(moved.receiver.used)).toBe(vector.expectReceiverUsage)
  })

  test.each(vectors.energyLimit.examples)(
    '$stakeSun SUN give $energy Energy on Nile',
    (example) => {
      const pool = {
        limit: BigInt(vectors.energyLimit.TotalEnergyLimit),
        weight: BigInt(vectors.energyLimit.TotalEnergyWeight),
      }
      expect(unitsOfStake(BigInt(example.stakeSun), pool)).toBe(BigInt(example.energy))
    },
  )
})

const amount = fc.bigInt(1n, 10n ** 10n)
const slots = fc.integer({ min: 0, max: 30_000 })

test('usage only recovers with time, and is gone after its window', () => {
  fc.assert(
    fc.property(amount, slots, slots, (used, first, second) => {
      const usage = use(noUsage, used, 1_000)
      const [near, far] = [Math.min(first, second), Math.max(first, second)]
      expect(remaining(usage, 1_000 + far)).toBeLessThanOrEqual(remaining(usage, 1_000 + near))
      expect(remaining(usage, 1_000 + 28_800)).toBe(0n)
    }),
  )
})

test('what is used is remembered to a unit in a million, and never recovers slower than 24 hours', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(amount, slots), { minLength: 1, maxLength: 12 }), (steps) => {
      let usage = noUsage
      let now = 0
      for (const [used, wait] of steps) {
        now += wait
        const before = remaining(usage, now)
        usage = use(usage, used, now)
        const expected = before + used
        const error = usage.used > expected ? usage.used - expected : expected - usage.used
        expect(error).toBeLessThanOrEqual(2n)
        expect(usage.window).toBeLessThanOrEqual(28_800_000n)
      }
      expect(remaining(usage, now + 28_800)).toBe(0n)
    }),
  )
})

test('undelegating moves usage from receiver to owner and makes or loses none', () => {
  fc.assert(
    fc.property(amount, amount, slots, slots, fc.integer({ min: 1, max: 100 }), (...drawn) => {
      const [ownerUsed, receiverUsed, ownerAge, receiverAge, percent] = drawn
      const now = 60_000
      const owner = use(noUsage, ownerUsed, now - ownerAge)
      const receiver = use(noUsage, receiverUsed, now - receiverAge)
      const receiverStake = 10n ** 15n
      const pool = { limit: 180_000_000_000n, weight: 18_000_000_000n }
      const change = { owner, receiver, receiverStake, pool, now }
      const staked = (receiverStake * BigInt(percent)) / 100n
      const moved = undelegate({ ...change, amount: staked })
      const before = remaining(owner, now) + remaining(receiver, now)
      const after = remaining(moved.owner, now) + remaining(moved.receiver, now)
      const error = after > before ? after - before : before - after
      // One unit for each rounding of java-tron.
      expect(error).toBeLessThanOrEqual(4n)
      expect(moved.receiver.used).toBeGreaterThanOrEqual(0n)
      // It recovers with the receiver's window: nothing is left 24 hours after it was used.
      expect(remaining(moved.owner, now + 28_800)).toBe(0n)
    }),
  )
})
