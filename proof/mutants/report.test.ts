import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readOptions } from './options.ts'
import { appendResult, type Outcome, type Result, readResults } from './record.ts'
import { isGoodEnough, survivorsOf, tableOf } from './report.ts'

const folder = mkdtempSync(join(tmpdir(), 'ergon-mutants-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const resultOf = (id: string, room: string, outcome: Outcome, state = 'now'): Result => ({
  ...{ id, room, outcome, state, file: `service/${room}/some.ts`, line: 3, lineText: 'a < b' },
  ...{ kind: 'comparison', change: '< -> <=', tried: ['a.test.ts'], untried: [], seconds: 1 },
})

test('a run goes on with what was not tried, also after half a line', () => {
  const path = join(folder, 'new', 'results.jsonl')
  expect(readResults(path, 'now').size).toBe(0)
  appendResult(path, resultOf('1', 'orders', 'caught'))
  appendResult(path, resultOf('2', 'orders', 'survived'))
  appendFileSync(path, '{"id":"3","outc')
  expect([...readResults(path, 'now').keys()]).toEqual(['1', '2'])
})

test('once something has changed, what was not caught is tried again', () => {
  const path = join(folder, 'results.jsonl')
  appendResult(path, resultOf('1', 'orders', 'caught', 'before'))
  appendResult(path, resultOf('2', 'orders', 'survived', 'before'))
  appendResult(path, resultOf('3', 'orders', 'untested', 'before'))
  expect([...readResults(path, 'now').keys()]).toEqual(['1'])
})

test('the table counts by room, and leaves out what the database refused', () => {
  const results = [
    resultOf('1', 'orders', 'caught'),
    resultOf('2', 'orders', 'survived'),
    resultOf('3', 'agent', 'caught'),
    resultOf('4', 'agent', 'invalid'),
  ]
  expect(tableOf(results).split('\n').slice(2)).toEqual([
    '| agent | 1 | 1 | 0 | 100.0 % |',
    '| orders | 2 | 1 | 1 | 50.0 % |',
    '| all | 3 | 2 | 1 | 66.7 % |',
  ])
  expect(survivorsOf(results)).toEqual([
    'service/orders/some.ts:3  comparison: < -> <=  (2)\n  a < b\n  tried: a.test.ts',
  ])
})

test('nineteen of twenty have to be caught', () => {
  const of = (caught: number) =>
    Array.from({ length: 20 }, (_, at) =>
      resultOf(String(at), 'orders', at < caught ? 'caught' : 'survived'),
    )
  expect(isGoodEnough(of(19))).toBe(true)
  expect(isGoodEnough(of(18))).toBe(false)
  expect(isGoodEnough([])).toBe(false)
})

test('options that are not there are refused', () => {
  expect(readOptions([])).toMatchObject({ seed: 1, count: 300, lanes: 2, only: undefined })
  expect(readOptions(['--room', 'ledger'])).toMatchObject({ rooms: ['ledger'] })
  expect(readOptions(['--room', 'kitchen'])).toContain('"kitchen" is not one of ledger')
  expect(readOptions(['--sede', '1'])).toContain("'--sede'")
  expect(readOptions(['--count', '0'])).toContain('--count')
})
