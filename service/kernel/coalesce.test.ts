import { expect, test } from 'vitest'
import { until } from '../../proof/testing/until.ts'
import { coalesce } from './coalesce.ts'
import { nextTurn } from './turn.ts'

type Read = { keys: string[]; answer(values: Record<string, number>): void; fail(): void }

/** A source whose reads are answered by the test, one after the other. */
function source() {
  const reads: Read[] = []
  const read = coalesce(
    (keys: string[]) =>
      new Promise<Map<string, number>>((resolve, reject) => {
        const answer = (values: Record<string, number>) => resolve(new Map(Object.entries(values)))
        reads.push({ keys, answer, fail: () => reject(new Error('away')) })
      }),
  )
  const started = (index: number) => until(`read ${index}`, () => reads[index])
  return { reads, read, started }
}

test('readers of one moment share one read, each key asked once', async () => {
  const { reads, read } = source()
  const answers = Promise.all([read('a'), read('b'), read('a')])
  await nextTurn()
  expect(reads.map(({ keys }) => keys)).toEqual([['a', 'b']])
  reads[0]!.answer({ a: 1, b: 2 })
  expect(await answers).toEqual([1, 2, 1])
})

test('a reader never gets an answer to a question asked before its own', async () => {
  const { reads, read } = source()
  const first = read('a')
  await nextTurn()
  const second = read('a')
  reads[0]!.answer({ a: 1 })
  expect(await first).toBe(1)
  await nextTurn()
  reads[1]!.answer({ a: 2 })
  expect(await second).toBe(2)
})

test('a key that is not there is undefined', async () => {
  const { reads, read } = source()
  const answer = read('missing')
  await nextTurn()
  reads[0]!.answer({})
  expect(await answer).toBeUndefined()
})

test('a failed read fails its readers only; the next ones are served', async () => {
  const { reads, read } = source()
  const unlucky = read('a')
  await nextTurn()
  const next = read('a')
  reads[0]!.fail()
  await expect(unlucky).rejects.toThrow('away')
  await nextTurn()
  reads[1]!.answer({ a: 7 })
  expect(await next).toBe(7)
})
