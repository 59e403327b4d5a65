import { expect, test } from 'vitest'
import { limitMsOf } from './attempt.ts'
import { type Coverage, filesFor } from './coverage.ts'
import type { Place } from './place.ts'
import { placesIn } from './sources.ts'

const covered = (seconds: number, more: Partial<Coverage[string]> = {}) => ({
  state: '',
  seconds,
  green: true,
  functions: {},
  sql: [],
  ...more,
})
const file = 'service/orders/buy.ts'
const [place] = placesIn(file, 'function buy() {\n  return a < b\n}') as [Place]
const ran = (...names: string[]) => ({ functions: { [file]: names } })
const callers = new Map([['ledger.post_one', ['ledger.refund']]])

test('tests of the room come before others, the cheapest first', () => {
  const coverage = {
    'service/orders/slow.test.ts': covered(9, ran('buy')),
    'service/agent/quick.test.ts': covered(1, ran('buy')),
    'service/orders/quick.test.ts': covered(2, ran('buy')),
    'service/orders/other.test.ts': covered(1, ran('sell')),
    'service/orders/red.test.ts': covered(1, { ...ran('buy'), green: false }),
  }
  const own = Object.keys(coverage).filter((name) => name.startsWith('service/orders/'))
  expect(filesFor(place, { coverage, callers, own })).toEqual([
    'service/orders/quick.test.ts',
    'service/orders/slow.test.ts',
    'service/agent/quick.test.ts',
  ])
})

test('where nothing seems to run a place, and for the signer, all tests of the room are tried', () => {
  const coverage = { 'a.test.ts': covered(2), 'b.test.ts': covered(1), 'c.test.ts': covered(1) }
  const own = ['a.test.ts', 'b.test.ts']
  expect(filesFor(place, { coverage, callers, own })).toEqual(['b.test.ts', 'a.test.ts'])
  const [inSigner] = placesIn('service/signer/answer.ts', 'const ok = a < b') as [Place]
  const more = { ...coverage, 'c.test.ts': covered(1, { functions: { [inSigner.file]: [] } }) }
  expect(filesFor(inSigner, { coverage: more, callers, own })).toHaveLength(3)
})

test('a test covers the statements it runs, and SQL functions that those call', () => {
  const coverage = {
    'a.test.ts': covered(1, { sql: ['orders.take'] }),
    'b.test.ts': covered(1, { sql: ['ledger.refund'] }),
  }
  const own = Object.keys(coverage)
  const inStatement = { ...place, inStatement: 'orders.take' }
  expect(filesFor(inStatement, { coverage, callers, own })).toEqual(['a.test.ts'])
  const inSqlFunction = { ...place, inSqlFunction: 'ledger.post_one' }
  expect(filesFor(inSqlFunction, { coverage, callers, own })).toEqual(['b.test.ts'])
})

test('a file may take three times as long as without a mutant, and a bit', () => {
  expect(limitMsOf(10)).toBe(50_000)
})
