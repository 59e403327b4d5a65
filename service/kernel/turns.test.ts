import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

/** Work that ends when the test says so. */
function work() {
  const started: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const run = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      started.push(name)
      ends.set(name, (error) => (error ? reject(error) : resolve(name)))
    })
  return { started, run, end: (name: string, error?: Error) => ends.get(name)!(error) }
}

test('a key has so many at once, in their order; other keys do not wait for it', async () => {
  const turns = createTurns(2)
  const { started, run, end } = work()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => turns('one', run(name)))
  const other = turns('two', run('other'))
  expect(started).toEqual(['a', 'b', 'other'])
  end('b')
  expect(await b).toBe('b')
  expect(started).toEqual(['a', 'b', 'other', 'c'])
  for (const name of ['a', 'other', 'c']) end(name)
  expect(await Promise.all([a, other, c])).toEqual(['a', 'other', 'c'])
  end('d')
  expect(await d).toBe('d')
})

test('work that fails ends its turn', async () => {
  const turns = createTurns(1)
  const { started, run, end } = work()
  const failing = turns('one', run('a'))
  const next = turns('one', run('b'))
  end('a', new Error('no'))
  await expect(failing).rejects.toThrow('no')
  expect(started).toEqual(['a', 'b'])
  end('b')
  await next
  const last = turns('one', run('c'))
  expect(started).toEqual(['a', 'b', 'c'])
  end('c')
  await last
})
