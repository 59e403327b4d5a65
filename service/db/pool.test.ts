import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { until } from '../../proof/testing/until.ts'
import { CannotStart, silentLog, systemRuntime } from '../kernel/index.ts'
import { type Db, openDb } from './pool.ts'
import { wasNeverSent } from './servers.ts'
import { statement } from './statement.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  db = await open(database.url('ergon_app'))
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

function open(...urls: string[]): Promise<Db> {
  return openDb({ urls, connections: 3, runtime: systemRuntime(), log: silentLog, name: 'test' })
}

const echoBigint = statement<{ value: bigint; sum: bigint }>(
  'test.echoBigint',
  `select $1::bigint as value, (select sum(x)::bigint from (values ($1::bigint), (1)) as t(x)) as sum`,
)
const readSetting = statement<{ value: string }>(
  'test.readSetting',
  `select current_setting($1) as value`,
)
const setAhead = statement('test.setAhead', `update db.clock set ahead_ms = $1`)
const readAhead = statement<{ ahead: bigint }>(
  'test.readAhead',
  `select ahead_ms as ahead from db.clock`,
)

test.each([0n, -1n, 9_007_199_254_740_993n, 2n ** 63n - 2n])(
  'int8 is a bigint, exact on the way in and out: %d',
  async (value) => {
    expect(await db.query(echoBigint, [value])).toEqual([{ value, sum: value + 1n }])
  },
)

test.each([
  ['search_path', '""'],
  ['statement_timeout', '15s'],
  ['lock_timeout', '8s'],
  ['idle_in_transaction_session_timeout', '10s'],
  ['timezone', 'UTC'],
  ['synchronous_commit', 'on'],
])('every connection has %s = %s', async (name, value) => {
  const [row] = await db.query(readSetting, [name])
  expect([value, value.replaceAll('"', '')]).toContain(row!.value)
})

/** Reads a client's startup message, as a pooler would, and passes everything on. */
async function openProxy(read: (startup: Buffer) => void) {
  const url = new URL(database.url('ergon_app'))
  const server = createServer((client) => {
    client.once('data', (startup) => {
      read(startup)
      const real = connect(`${url.searchParams.get('host')}/.s.PGSQL.5432`)
      for (const end of [client, real]) end.on('error', () => {})
      real.write(startup)
      client.pipe(real).pipe(client)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const close = () => server.close()
  return { url: `postgresql://ergon_app@127.0.0.1:${port}${url.pathname}`, close }
}

test('the startup message has nothing that a pooler refuses', async () => {
  const names: string[] = []
  const pooler = await openProxy((bytes) => {
    // Length and version, then names and values in turn, each ended by a zero.
    const parts = bytes.subarray(8).toString().split('\0').slice(0, -2)
    names.push(...parts.filter((_part, at) => at % 2 === 0))
  })
  const through = await open(pooler.url)
  expect(await through.query(readSetting, ['lock_timeout'])).toEqual([{ value: '8s' }])
  await through.close()
  pooler.close()
  const taken = ['user', 'database', 'client_encoding', 'application_name']
  expect(new Set(names)).toEqual(new Set(taken))
})

test('a transaction that throws leaves nothing behind and its connection is used again', async () => {
  for (let i = 0; i < 10; i += 1) {
    const work = db.transaction(async (tx) => {
      await tx.query(setAhead, [77])
      throw new Error('changed my mind')
    })
    await expect(work).rejects.toThrow('changed my mind')
  }
  expect(await db.query(readAhead)).toEqual([{ ahead: 0n }])
})

test('start is refused while synchronous_commit is off', async () => {
  const careless = await createTestDatabase()
  const [row] = await careless.sql<{ name: string }>('select current_database() as name')
  await careless.sql(`alter database ${row!.name} set synchronous_commit = off`)
  const opening = open(careless.url('ergon_app'))
  await expect(opening).rejects.toThrow(CannotStart)
  await expect(opening).rejects.toThrow('synchronous_commit is off')
  await careless.drop()
})

test('the first server that can be written to is used', async () => {
  const nowhere = 'postgresql://ergon_app@localhost/ergon?host=/nonexistent'
  const found = await open(nowhere, database.url('ergon_app'))
  expect(await found.query(echoBigint, [1n])).toEqual([{ value: 1n, sum: 2n }])
  await found.close()
  await expect(open(nowhere)).rejects.toThrow(/^No database can be written to/)
})

/** A server that first reports too many connections, and then accepts every client. */
async function openCrowded(socket: string) {
  let refused = 0
  const server = createServer((client) => {
    if (refused > 0) {
      const real = connect(`${socket}/.s.PGSQL.5432`)
      for (const end of [client, real]) end.on('error', () => {})
      return client.pipe(real).pipe(client)
    }
    refused += 1
    const fields = 'SFATAL\0VFATAL\0C53300\0Msorry, too many clients already\0\0'
    const length = Buffer.alloc(4)
    length.writeInt32BE(fields.length + 4)
    client.once('data', () =>
      client.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])),
    )
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return { port, refused: () => refused, close: () => server.close() }
}

test('a start asks a server again that has no connection left for it', async () => {
  const url = new URL(database.url('ergon_app'))
  const crowded = await openCrowded(url.searchParams.get('host')!)
  const found = await open(`postgresql://ergon_app@127.0.0.1:${crowded.port}${url.pathname}`)
  expect(await found.query(echoBigint, [1n])).toEqual([{ value: 1n, sum: 2n }])
  expect(crowded.refused()).toBe(1)
  await found.close()
  crowded.close()
})

const closeForWriting = statement('test.closeForWriting', `set transaction read only`)
const readPid = statement<{ pid: number }>('test.readPid', `select pg_backend_pid() as pid`)

test('an answer that a server is read-only costs its connection', async () => {
  const one = await openDb({
    urls: [database.url('ergon_app')],
    connections: 1,
    runtime: systemRuntime(),
    log: silentLog,
    name: 'test',
  })
  const [before] = await one.query(readPid)
  const work = one.transaction(async (tx) => {
    await tx.query(closeForWriting)
    await tx.query(setAhead, [77])
  })
  await expect(work).rejects.toMatchObject({ code: '25006' })
  const [after] = await one.query(readPid)
  expect(after!.pid).not.toBe(before!.pid)
  await one.close()
})

test('a server that was closed for writing gets no statement', async () => {
  const closed = await createTestDatabase()
  const shop = await open(closed.url('ergon_app'))
  await shop.query(setAhead, [1])
  const [row] = await closed.sql<{ name: string }>('select current_database() as name')
  await closed.sql(`alter database ${row!.name} set default_transaction_read_only = on`)
  await closed.sql(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'test'
     and datname = current_database()`)
  const refusal = await until('a refusal', async () => {
    const error = await shop.query(setAhead, [2]).catch((thrown) => thrown)
    return wasNeverSent(error) && error
  })
  expect(refusal.message).toBe('the server cannot be written to')
  await shop.close()
  await expect(open(closed.url('ergon_app'))).rejects.toThrow('is read-only')
  await closed.drop()
})

test('two statements may not have one name', () => {
  expect(() => statement('test.readAhead', 'select 1')).toThrow('two statements are called')
})
