import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createErgonServer, type Server, temporaryFolder } from '../../proof/testing/cluster.ts'
import { addStandby } from '../../proof/testing/standby.ts'
import { openTransactionPooler } from '../../proof/testing/transactionPooler.ts'
import { until } from '../../proof/testing/until.ts'
import { silentLog, systemRuntime } from '../kernel/index.ts'
import { type Db, openDb } from './pool.ts'
import { assertOwnSessions, readServerHealth, sharesSessions } from './serverHealth.ts'

const folder = temporaryFolder('health')
let server: Server
let db: Db
beforeAll(async () => {
  const archive = { archive_mode: 'on', archive_command: 'false', archive_timeout: '0' }
  server = await createErgonServer(`${folder}/primary`, archive)
  db = await open(server.url('ergon_app'))
})
afterAll(async () => {
  await db.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const open = (url: string) =>
  openDb({ urls: [url], connections: 1, runtime: systemRuntime(), log: silentLog, name: 'health' })

test('the service sees an archiver that fails, and where the data is', async () => {
  expect(await readServerHealth(db)).toMatchObject({
    standbys: [],
    folder: `${folder}/primary/data`,
  })
  await server.sql(`select pg_switch_wal()`)
  const { archiver } = await until('a failure', async () => {
    const health = await readServerHealth(db)
    return health.archiver.isFailing && health
  })
  expect(archiver).toMatchObject({
    isOn: true,
    lastFailedFile: expect.stringMatching(/^[0-9A-F]{24}$/),
  })
})

test('an idle transaction of anybody is seen, without its text', async () => {
  const other = await open(server.url('ergon_signer'))
  await other.transaction(async (tx) => {
    await tx.query({ name: 'canary', text: `select 'canary' as canary` })
    const { hanging } = await readServerHealth(db)
    expect(hanging).toMatchObject([{ kind: 'idle', role: 'ergon_signer', application: 'health' }])
    expect(JSON.stringify(hanging)).not.toContain('canary')
  })
  await other.close()
})

test('a standby that stops is behind, and commits wait for it', async () => {
  const standby = await addStandby(server, `${folder}/standby`, 'second')
  await until('the standby has caught up', async () => {
    const { standbys } = await readServerHealth(db)
    return standbys[0]?.name === 'second' && standbys[0].isAwaited && standbys[0].lagBytes === 0n
  })
  for (const pid of standby.pids()) process.kill(pid, 'SIGSTOP')
  const commit = server.sql(`create table public.behind as select 1 as one`)
  // Standbys are read before sessions, so the first look that shows the commit may have read the lag before it.
  await until('a commit that waits for a standby that is behind', async () => {
    const { hanging, standbys } = await readServerHealth(db)
    const { lagBytes, lagSeconds } = standbys[0]!
    return hanging.some(({ kind }) => kind === 'commit') && lagBytes! > 0n && lagSeconds! > 0
  })
  for (const pid of standby.pids()) process.kill(pid, 'SIGCONT')
  await commit
  await server.sql(`alter system reset synchronous_standby_names`)
  await server.sql(`select pg_reload_conf()`)
  await standby.stop()
})

test('a pooler that divides sessions is told from a server', async () => {
  const other = await open(server.url('ergon_app'))
  expect(await sharesSessions(db, other)).toBe(false)
  await other.close()
  const pooler = await openTransactionPooler(server.url('ergon_app'))
  const [one, second] = [await open(pooler.url), await open(pooler.url)]
  expect(await sharesSessions(one, second)).toBe(true)
  await one.close()
  await second.close()
  pooler.close()
})

test('a start behind a pooler in transaction mode is refused in one sentence', async () => {
  await assertOwnSessions([server.url('ergon_app')], systemRuntime())
  const pooler = await openTransactionPooler(server.url('ergon_app'))
  const started = assertOwnSessions([pooler.url], systemRuntime())
  await expect(started).rejects.toThrow(/transaction mode .* Set pool_mode = session/)
  pooler.close()
})
