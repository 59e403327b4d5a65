import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { until } from '../../proof/testing/until.ts'
import { silentLog, systemDoors } from '../kernel/index.ts'
import { type Db, openDb } from './pool.ts'
import { statement } from './statement.ts'

/** The lock that a session on a lane holds. */
const SESSION = 1_701_996_910

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

function open(url: string): Promise<Db> {
  const doors = systemDoors()
  return openDb({ urls: [url], connections: 2, doors, log: silentLog, name: 'test' })
}

type Written = { pid: number; ahead: bigint }

/** Waits for the lock, if somebody has it; then adds a digit to what was there. */
const addDigit = statement<Written>(
  'test.addDigit',
  `with waited as materialized (select pg_advisory_xact_lock(77))
   update db.clock set ahead_ms = ahead_ms * 10 + $1 from waited
   returning pg_backend_pid() as pid, ahead_ms as ahead`,
)
const takeLock = statement('test.takeLock', `select pg_advisory_xact_lock(77)`)
const divide = statement<{ result: number }>('test.divide', `select 1 / $1::int as result`)
const readPid = statement<{ pid: number }>('test.readLanePid', `select pg_backend_pid() as pid`)
const readAhead = statement<Omit<Written, 'pid'>>(
  'test.readLaneAhead',
  `select ahead_ms as ahead from db.clock`,
)

/** Others wait at the lock until it is let go, or the test is over. */
async function holdLock(): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const work = db.transaction(async (tx) => {
    await tx.query(takeLock)
    held.resolve()
    await over.promise
  })
  await held.promise
  const letGo = () => {
    over.resolve()
    return work
  }
  onTestFinished(letGo)
  return letGo
}

const waiting = (classId: number) =>
  until('a session that waits', async () => {
    const rows = await database.sql(
      `select from pg_locks where locktype = 'advisory' and not granted and classid = $1
          and database = (select oid from pg_database where datname = current_database())`,
      [classId],
    )
    return rows.length > 0
  })

test('statements run in their order on one connection, and the next is there before the last ends', async () => {
  await database.sql('update db.clock set ahead_ms = 0')
  const letGo = await holdLock()
  const both = Promise.all([db.lane.query(addDigit, [1]), db.lane.query(addDigit, [2])])
  await waiting(0)
  await letGo()
  const [[first], [second]] = await both
  expect([first!.ahead, second!.ahead]).toEqual([1n, 12n])
  expect(second!.pid).toBe(first!.pid)
})

test('a statement that fails takes nothing with it: neither its neighbours nor the connection', async () => {
  const [before] = await db.lane.query(readPid)
  const [first, second, third] = await Promise.allSettled([
    db.lane.query(divide, [1]),
    db.lane.query(divide, [0]),
    db.lane.query(divide, [1]),
  ])
  expect(first).toMatchObject({ value: [{ result: 1 }] })
  expect(second).toMatchObject({ reason: { code: '22012' } })
  expect(third).toMatchObject({ value: [{ result: 1 }] })
  expect(await db.lane.query(readPid)).toEqual([before])
})

test('when the session ends everything on the lane fails, and the next has a new one', async () => {
  await database.sql('update db.clock set ahead_ms = 0')
  const [before] = await db.lane.query(readPid)
  const letGo = await holdLock()
  const both = Promise.allSettled([db.lane.query(addDigit, [1]), db.lane.query(addDigit, [2])])
  await waiting(0)
  await database.sql('select pg_terminate_backend($1, 5000)', [before!.pid])
  const outcomes = await both
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const [after] = await db.lane.query(readPid)
  expect(after!.pid).not.toBe(before!.pid)
  await letGo()
  expect(await db.query(readAhead)).toEqual([{ ahead: 0n }])
})

test('a statement on a lost connection is told as failed only when the server has done with it', async () => {
  await database.sql('update db.clock set ahead_ms = 0')
  const wire = await openWire(database.url('ergon_app'))
  const far = await open(wire.url)
  const letGo = await holdLock()
  let isTold = false
  const both = Promise.allSettled([far.lane.query(addDigit, [1]), far.lane.query(addDigit, [2])])
  void both.then(() => {
    isTold = true
  })
  await waiting(0)
  wire.cut()
  await waiting(SESSION)
  expect(isTold).toBe(false)
  await letGo()
  const outcomes = await both
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  // Both were worked off by a server that had not noticed: whoever asks now hears the truth.
  expect(await db.query(readAhead)).toEqual([{ ahead: 12n }])
  await far.close()
  wire.close()
})

/** Between a process and the server; the server reads what has come before it reads that nobody is there. */
async function openWire(url: string) {
  const near: Socket[] = []
  const given = new URL(url)
  const server = createServer((socket) => {
    const toServer = connect(`${given.searchParams.get('host')}/.s.PGSQL.5432`)
    socket.on('error', () => {}).on('data', (data) => toServer.write(data))
    toServer.on('error', () => {}).on('data', (data) => socket.write(data))
    near.push(socket)
    socket.on('close', () => toServer.end())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  return {
    url: `postgresql://${given.username}@127.0.0.1:${port}${given.pathname}`,
    cut() {
      for (const socket of near.splice(0)) socket.resetAndDestroy()
    },
    close: () => server.close(),
  }
}
