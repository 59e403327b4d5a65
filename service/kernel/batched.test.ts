import { expect, test } from 'vitest'
import { until } from '../../proof/testing/until.ts'
import { batched } from './batched.ts'

type Read = { keys: string[]; answer(values: Record<string, number>): void; fail(): void }

/** A source whose reads the test answers, one after the other. */
function source() {
  const reads: Read[] = []
  const read = batched(
    (keys: string[]) =>
      new Promise<(number | undefined)[]>((resolve, reject) => {
        const answer = (values: Record<string, number>) => resolve(keys.map((key) => values[key]))
        reads.push({ keys, answer, fail: () => reject(new Error('away')) })
      }),
  )
  const started = (index: number) => until(`read ${index}`, () => reads[index])
  return { reads, read, started }
}

test('readers of one moment share one read, and each gets its own', async () => {
  const { reads, read, started } = source()
  const answers = Promise.all([read('a'), read('b'), read('a')])
  const only = await started(0)
  only.answer({ a: 1, b: 2 })
  expect(await answers).toEqual([1, 2, 1])
  expect(reads.map(({ keys }) => keys)).toEqual([['a', 'b', 'a']])
})

test('a reader never gets an answer to a question asked before its own', async () => {
  const { read, started } = source()
  const first = read('a')
  const earlier = await started(0)
  const second = read('a')
  earlier.answer({ a: 1 })
  expect(await first).toBe(1)
  const later = await started(1)
  later.answer({ a: 2 })
  expect(await second).toBe(2)
})

test('a key that is not there is undefined', async () => {
  const { read, started } = source()
  const answer = read('missing')
  const only = await started(0)
  only.answer({})
  expect(await answer).toBeUndefined()
})

test('a failed read fails its readers only; the next ones are served', async () => {
  const { read, started } = source()
  const unlucky = read('a')
  const failing = await started(0)
  const next = read('a')
  failing.fail()
  await expect(unlucky).rejects.toThrow('away')
  const following = await started(1)
  following.answer({ a: 7 })
  expect(await next).toBe(7)
})
