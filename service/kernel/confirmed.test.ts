import { expect, test } from 'vitest'
import { confirmed } from './confirmed.ts'

/** A source with a few values, and what it was asked. */
function source(most = 10) {
  const values = new Map<string, { value: string }>()
  const asked: (string | undefined)[][] = []
  const kept = confirmed<{ value: string }>(
    async (keys, known) => {
      asked.push(known.map((one) => one?.value))
      return keys.flatMap((key, place) =>
        values.get(key)?.value === known[place]?.value ? [] : [[key, values.get(key)] as const],
      )
    },
    { most },
  )
  const set = (key: string, value: string) => values.set(key, { value })
  return { set, values, asked, ...kept }
}

test('what has not moved is the same object, and is asked for each time', async () => {
  const { set, asked, read } = source()
  set('a', 'one')
  const first = await read('a')
  set('a', 'one')
  expect(await read('a')).toBe(first)
  expect(asked).toEqual([[undefined], ['one']])
})

test('what has moved is learnt, there and back', async () => {
  const { set, read, known } = source()
  for (const value of ['one', 'two', 'one']) {
    set('a', value)
    expect(await read('a')).toEqual({ value })
    expect(known('a')).toEqual({ value })
  }
})

test('what is gone is forgotten, and what never was is undefined', async () => {
  const { set, values, read, known } = source()
  set('a', 'one')
  await read('a')
  values.delete('a')
  expect([await read('a'), known('a'), await read('b')]).toEqual([undefined, undefined, undefined])
})

test('what was learnt longest ago makes room, and is learnt again', async () => {
  const { set, read, known } = source(2)
  for (const key of ['a', 'b', 'c']) {
    set(key, key)
    await read(key)
  }
  expect(['a', 'b', 'c'].map((key) => known(key)?.value)).toEqual([undefined, 'b', 'c'])
  expect(await read('a')).toEqual({ value: 'a' })
})

test('a question that fails leaves what was known, and the next one is asked anew', async () => {
  let fails = false
  const { read } = confirmed<string>(
    async (keys, known) => {
      if (fails) throw new Error('away')
      return known[0] === undefined ? [[keys[0]!, 'one']] : []
    },
    { most: 1 },
  )
  expect(await read('a')).toBe('one')
  fails = true
  await expect(read('a')).rejects.toThrow('away')
  fails = false
  expect(await read('a')).toBe('one')
})

test('two who read the same at once get the same, moved or not', async () => {
  const { set, read } = source()
  set('a', 'one')
  set('b', 'two')
  const [first, b, second] = await Promise.all([read('a'), read('b'), read('a')])
  expect([first, b, second]).toEqual([{ value: 'one' }, { value: 'two' }, { value: 'one' }])
  set('b', 'three')
  expect(await Promise.all([read('a'), read('b'), read('a')])).toEqual([
    first,
    { value: 'three' },
    first,
  ])
})
