import { expect, test } from 'vitest'
import { measureRounds, stolenLine, type Variant } from './rounds.ts'

/** A machine whose host steals this much in successive measurements. */
function machine(taken: number[]) {
  let stolen = 0
  const rates: number[] = []
  const variant: Variant = {
    name: 'ours',
    server: 1,
    async run() {
      // The first run is the warm-up, which is not measured.
      stolen += rates.length > 0 ? (taken[rates.length - 1] ?? 0) : 0
      rates.push(rates.length)
      return { perSecond: rates.length - 1, p50Ms: 1, p95Ms: 1, p99Ms: 1, count: 1 }
    },
  }
  const readTime = () => ({ server: 0, database: 0, everybody: 0, stolen })
  return { variant, readTime }
}

const measure = ({ variant, readTime }: ReturnType<typeof machine>, rounds: number) =>
  measureRounds([variant], { rounds, seconds: 1, readTime, tell() {} })

test('a measurement that the host disturbed is taken again, and the less disturbed counts', async () => {
  const samples = await measure(machine([0, 1e6, 0, 1e6, 1e12, 0, 0, 0]), 6)
  expect(samples.get('ours')!.map(({ perSecond }) => perSecond)).toEqual([1, 3, 4, 6, 7, 8])
  expect(stolenLine(samples)).toMatch(/^Of 6 measurements 2 were taken twice .* in 1 of those/)
})

test('on a machine that is never quiet it has an end', async () => {
  const samples = await measure(machine(Array.from({ length: 20 }, () => 1e6)), 6)
  expect(samples.get('ours')).toHaveLength(6)
  expect(samples.get('ours')!.at(-1)!.perSecond).toBe(8)
})
