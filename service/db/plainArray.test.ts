import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { plainArray } from './plainArray.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test.each([
  ['uuid', ['0199c0de-0000-7000-8000-000000000001', null]],
  ['bigint', [0n, -7n, 9_223_372_036_854_775_807n, undefined]],
  ['boolean', [false, true, null]],
  ['text', ['PENDING', null, 'COMPLETED']],
  ['timestamptz', ['2026-11-15T21:00:00.123Z']],
  ['bigint', []],
])('%s: %s arrives as it is', async (type, values) => {
  const [row] = await database.sql(
    `select $1::${type}[]::text[] = $2::${type}[]::text[] as same, cardinality($1::${type}[]) as length`,
    [plainArray(values), values],
  )
  expect(row).toEqual({ same: true, length: values.length })
})
