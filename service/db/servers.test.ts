import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createErgonServer,
  removeServers,
  type Server,
  temporaryFolder,
} from '../../proof/testing/cluster.ts'
import { addStandby } from '../../proof/testing/standby.ts'
import { until } from '../../proof/testing/until.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { type Db, openDb, openSchemaPool } from './pool.ts'
import { wasNeverSent } from './servers.ts'
import { statement } from './statement.ts'

// A real primary and a real synchronous standby.

const setAhead = statement('test.setAheadThere', `update db.clock set ahead_ms = $1`)
const readAhead = statement<{ ahead: bigint }>(
  'test.readAheadThere',
  `select ahead_ms as ahead from db.clock`,
)
const ahead = (db: Db) => db.query(readAhead).then(([row]) => row!.ahead)

let folder: string
let first: Server
let second: Server
const opened: { close(): Promise<void> }[] = []

beforeEach(async () => {
  folder = temporaryFolder('servers')
  first = await createErgonServer(join(folder, 'first'))
  second = await addStandby(first, join(folder, 'second'), 'second')
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await removeServers([first, second], folder)
})

const both = () => [second.url('ergon_app'), first.url('ergon_app')]

async function open(urls = both()): Promise<Db> {
  const db = await openDb({
    urls,
    connections: 3,
    runtime: systemRuntime(),
    log: silentLog,
    name: 'test',
  })
  opened.push(db)
  return db
}

test('the primary dies, the standby is promoted: the same pools write there, without a restart', async () => {
  await expect(open([second.url('ergon_app')])).rejects.toThrow('is in recovery')
  const db = await open()
  await db.query(setAhead, [1])
  const pool = await openSchemaPool({
    urls: both(),
    schema: 'db',
    connections: 1,
    log: silentLog,
    name: 'test',
  })
  opened.push({ close: () => pool.end() })
  expect((await pool.query('select ahead_ms from clock')).rows).toEqual([{ ahead_ms: '1' }])
  expect(db.timeline()).toBe(1)

  await first.kill()
  // Meanwhile nothing is acknowledged, and nobody waits for long.
  const refused = await until('a refusal before anything was sent', async () => {
    const error = await db.query(setAhead, [99]).catch((thrown) => thrown)
    return wasNeverSent(error) ? error : undefined
  })
  expect(refused).toMatchObject({ name: 'NoDatabase' })
  await second.sql('select pg_promote()')
  await until('it writes again', () =>
    db.query(setAhead, [2]).then(
      () => true,
      () => false,
    ),
  )
  expect(await ahead(db)).toBe(2n)
  expect(db.timeline()).toBe(2)
  await until('the library reads again', () =>
    pool.query('select ahead_ms from clock').then(
      ({ rows }) => rows[0].ahead_ms === '2',
      () => false,
    ),
  )

  // The old primary returns and still believes it is the primary: it is on an older timeline.
  await first.start({ synchronous_standby_names: '' })
  await db.query(setAhead, [3])
  const late = await open([first.url('ergon_app'), second.url('ergon_app')])
  expect(await ahead(late)).toBe(3n)
  expect(await first.sql('select ahead_ms::int as ahead from db.clock')).toEqual([{ ahead: 1 }])
})

test('a promoted standby takes over from a primary that hangs, and cuts off who waits there', async () => {
  const db = await open()
  await db.query(setAhead, [1])
  for (const pid of first.pids()) process.kill(pid, 'SIGSTOP')
  const hanging = db.query(setAhead, [99]).catch((error) => error)
  await second.sql('select pg_promote()')
  expect(await hanging).toBeInstanceOf(Error)
  expect(await ahead(db)).toBe(1n)
  for (const pid of first.pids()) process.kill(pid, 'SIGCONT')
})
