import { getMigrations } from 'better-auth/db/migration'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { openSchemaPool, type SchemaPool } from '../db/index.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { openAuth } from './auth.ts'
import { ENTRANCES } from './entrance.ts'

let database: TestDatabase
let pool: SchemaPool
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  const schema = 'better_auth'
  pool = await openSchemaPool({ urls, schema, connections: 2, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

test('our tables are the ones the library wants, to the column', async () => {
  const { ids, clock } = systemRuntime()
  const secret = 'a secret of thirty-two characters'
  const options = { pool, ids, clock, log: silentLog, secret, webUrl: 'https://app.example.com' }
  const auth = openAuth({
    ...options,
    entrance: ENTRANCES.client,
    accountOf: async () => undefined,
    claimStep: async () => false,
    hasPasskey: async () => false,
  })
  const { toBeCreated, toBeAdded } = await getMigrations(auth.options)
  expect(toBeCreated.map(({ table }) => table)).toEqual([])
  expect(toBeAdded.map(({ table, fields }) => [table, Object.keys(fields)])).toEqual([])
})

test('the library sees its own schema and, by name alone, nothing of ours', async () => {
  const { rows } = await pool.query('show search_path')
  expect(rows).toEqual([{ search_path: 'better_auth' }])
  await expect(pool.query('select * from api_key')).rejects.toMatchObject({ code: '42P01' })
})

test('no user is a client without an account', async () => {
  const person = `insert into "user" values ('1', '', 'x@example.com', false, null, now(), now(), null, $1, $2)`
  await expect(pool.query(person, ['client', null])).rejects.toMatchObject({
    constraint: 'a_client_has_an_account',
  })
  await expect(pool.query(person, ['operator', 'x'])).rejects.toMatchObject({
    constraint: 'a_client_has_an_account',
  })
})
