import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../proof/testing/until.ts'
import { ensureDatabase } from './ensureDatabase.ts'
import { type Postgres, startPostgres } from './postgres.ts'

let folder: string
let postgres: Postgres
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ergon-own-'))
  postgres = await startPostgres({ folder })
  await ensureDatabase(postgres)
})
afterAll(async () => {
  await postgres.stop()
  rmSync(folder, { recursive: true })
})

async function ask(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: postgres.url('ergon_admin') })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}/cmdline`)

test.each([
  ['fsync', 'on'],
  ['synchronous_commit', 'on'],
  ['full_page_writes', 'on'],
  ['data_checksums', 'on'],
  ['listen_addresses', ''],
  ['server_encoding', 'UTF8'],
])('the server of our own has %s = "%s"', async (name, value) => {
  expect(await ask(`select current_setting('${name}') as value`)).toEqual([{ value }])
})

test('it is PostgreSQL 18 and does not run as root', async () => {
  const [row] = await ask(`select current_setting('server_version_num')::int / 10000 as version`)
  expect(row).toEqual({ version: 18 })
  const uid = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${postgres.pid}/status`, 'utf8'))![1]
  expect(Number(uid)).not.toBe(0)
})

test('a server left over by a killed service is stopped at the next start, and its data is there', async () => {
  await ask('create table note as select 7 as number')
  const leftover = postgres.pid
  postgres = await startPostgres({ folder })
  expect(isAlive(leftover)).toBe(false)
  expect(await ask('select number from note')).toEqual([{ number: 7 }])
})

test('after kill -9 of the server a commit that was acknowledged is there', async () => {
  await ask('insert into note values (8)')
  const killed = postgres.pid
  process.kill(killed, 'SIGKILL')
  await until('the killed server to be gone', () => !isAlive(killed))
  postgres = await startPostgres({ folder })
  expect(await ask('select number from note order by number')).toEqual([
    { number: 7 },
    { number: 8 },
  ])
})

test('stop ends the server and removes its socket folder', async () => {
  const socket = new URL(postgres.url('x')).searchParams.get('host')!
  expect(existsSync(socket)).toBe(true)
  const { pid } = postgres
  await postgres.stop()
  expect(isAlive(pid)).toBe(false)
  expect(existsSync(socket)).toBe(false)
  postgres = await startPostgres({ folder })
  expect(await ask('select count(*)::int as notes from note')).toEqual([{ notes: 2 }])
})
