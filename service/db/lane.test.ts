import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { until } from '../../proof/testing/until.ts'
import { openWire } from '../../proof/testing/wire.ts'
import { silentLog, systemDoors } from '../kernel/index.ts'
import { Unsettled } from './lane.ts'
import { type Db, openDb } from './pool.ts'
import { isUnreached } from './servers.ts'
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

function open(url: string, name = 'test'): Promise<Db> {
  return openDb({ urls: [url], connections: 2, doors: systemDoors(), log: silentLog, name })
}

/** Somebody whose way to the server can go bad. */
async function openFar() {
  const url = new URL(database.url('ergon_app'))
  const wire = await openWire(`${url.searchParams.get('host')}/.s.PGSQL.5432`)
  const way = `postgresql://${url.username}@127.0.0.1:${wire.port}${url.pathname}`
  const far = await open(way, 'far')
  onTestFinished(async () => {
    await far.close()
    wire.close()
  })
  return { wire, far }
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
const sessions = statement<{ pid: number }>(
  'test.laneSessions',
  `select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
    where l.locktype = 'advisory' and l.objsubid = 2 and a.application_name = 'far'`,
)
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

const somebodyWaits = () =>
  until('a session that waits', async () => {
    const rows = await database.sql(
      `select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
    )
    return rows.length > 0
  })

test('statements run in their order on one connection', async () => {
  await database.sql('update db.clock set ahead_ms = 0')
  const both = Promise.all([db.lane.query(addDigit, [1]), db.lane.query(addDigit, [2])])
  const [[first], [second]] = await both
  expect([first!.ahead, second!.ahead]).toEqual([1n, 12n])
  expect(second!.pid).toBe(first!.pid)
})

test('the next is at the server before the last has ended', async () => {
  await database.sql('update db.clock set ahead_ms = 0')
  const { wire, far } = await openFar()
  const letGo = await holdLock()
  const both = Promise.allSettled([far.lane.query(addDigit, [1]), far.lane.query(addDigit, [2])])
  await somebodyWaits()
  // From here on no answer comes, and nothing that is sent arrives.
  wire.swallow()
  await letGo()
  await until('both are written', async () => {
    const [clock] = await db.query(readAhead)
    return clock!.ahead === 12n
  })
  wire.mend()
  await both
})

test('a statement that fails takes none of its neighbours with it, and the next has a new connection', async () => {
  const [before] = await db.lane.query(readPid)
  const [first, second, third] = await Promise.allSettled([
    db.lane.query(divide, [1]),
    db.lane.query(divide, [0]),
    db.lane.query(divide, [1]),
  ])
  expect(first).toMatchObject({ value: [{ result: 1 }] })
  expect(second).toMatchObject({ reason: { code: '22012' } })
  expect(third).toMatchObject({ value: [{ result: 1 }] })
  const [after] = await db.lane.query(readPid)
  expect(after!.pid).not.toBe(before!.pid)
})

test('when the session ends everything on the lane fails, and the next has a new one', async () => {
  await database.sql('update db.clock set ahead_ms = 0')
  const [before] = await db.lane.query(readPid)
  const letGo = await holdLock()
  const both = Promise.allSettled([db.lane.query(addDigit, [1]), db.lane.query(addDigit, [2])])
  await somebodyWaits()
  await database.sql('select pg_terminate_backend($1, 5000)', [before!.pid])
  const outcomes = await both
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const [after] = await db.lane.query(readPid)
  expect(after!.pid).not.toBe(before!.pid)
  await letGo()
  expect(await db.query(readAhead)).toEqual([{ ahead: 0n }])
})

test('what a server that we have lost still holds is ended before anybody is told', async () => {
  await database.sql('update db.clock set ahead_ms = 0')
  const { wire, far } = await openFar()
  const letGo = await holdLock()
  const both = Promise.allSettled([far.lane.query(addDigit, [1]), far.lane.query(addDigit, [2])])
  await somebodyWaits()
  wire.cut()
  wire.mend()
  const outcomes = await both
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  // Left to itself the server would write both now, because it has not noticed anything.
  await letGo()
  expect(await db.query(sessions)).toEqual([])
  expect(await db.query(readAhead)).toEqual([{ ahead: 0n }])
})

test('when the server cannot be asked about a lost session, that is told', async () => {
  const { wire, far } = await openFar()
  const letGo = await holdLock()
  const one = far.lane.query(addDigit, [1])
  await somebodyWaits()
  wire.cut()
  await expect(one).rejects.toThrow(Unsettled)
  await letGo()
})

test('a lane that finds no database has sent nothing', async () => {
  const { wire, far } = await openFar()
  wire.cut()
  const error = await far.lane.query(readPid).catch((thrown) => thrown)
  expect(isUnreached(error)).toBe(true)
})
