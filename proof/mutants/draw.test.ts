import { join } from 'node:path'
import { expect, test } from 'vitest'
import { draw } from './draw.ts'
import { EQUIVALENT, equivalentOf } from './equivalent.ts'
import { KINDS } from './place.ts'
import { isParsed, placesIn, ROOMS, readPlaces } from './sources.ts'

const places = readPlaces(join(import.meta.dirname, '../..'))
const idsOfAll = (from: typeof places) => draw(from, 7, 300).map(({ id }) => id)
const idsOf = (seed: number, count: number) => draw(places, seed, count).map(({ id }) => id)

test('the same seed draws the same sample, another seed another', () => {
  expect(idsOf(7, 200)).toEqual(idsOf(7, 200))
  expect(idsOf(8, 200)).not.toEqual(idsOf(7, 200))
})

test('a longer sample begins with the shorter one, and none is drawn twice', () => {
  expect(idsOf(7, 300).slice(0, 90)).toEqual(idsOf(7, 90))
  expect(new Set(idsOf(7, 5_000)).size).toBe(5_000)
})

test('lines that went leave the rest of the sample as it was', () => {
  const drawn = draw(places, 7, 300)
  const gone = new Set(drawn.slice(0, 5))
  const again = new Set(idsOfAll(places.filter((place) => !gone.has(place))))
  expect(drawn.filter(({ id }) => again.has(id)).length).toBe(295)
})

test('rooms have equal parts, and each kind of bug is there', () => {
  const drawn = draw(places, 1, 270)
  for (const room of ROOMS) expect(drawn.filter((one) => one.room === room)).toHaveLength(30)
  for (const kind of KINDS) {
    expect(drawn.filter((one) => one.kind === kind).length).toBeGreaterThan(10)
  }
})

test('of few places all are drawn', () => {
  const few = placesIn('service/orders/some.ts', 'const ok = a < b && c')
  expect(draw(few, 1, 300)).toHaveLength(few.length)
})

test('no place is drawn that two have, and what is planted can be parsed', () => {
  expect(new Set(places.map(({ id }) => id)).size).toBe(places.length)
  const text = 'const ok = a < b && (c - -1) > 0'
  const some = placesIn('service/orders/some.ts', text)
  expect(some.filter((place) => !isParsed(text, place))).toEqual([])
})

test('every mutant that is known to be equivalent still has its place', () => {
  const gone = EQUIVALENT.filter((one) => !places.some((place) => equivalentOf(place, [one])))
  expect(gone).toEqual([])
})
