import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../proof/testing/database.ts'
import { testRuntime } from '../../proof/testing/runtime.ts'
import { type Db, openDb } from '../db/index.ts'
import { silentLog } from '../kernel/index.ts'
import type { Evidence } from './cause.ts'
import { createStatus } from './status.ts'

const KEPT_MS = 5_000
const runtime = testRuntime()
let database: TestDatabase
let db: Db
let found: Evidence = { findings: [], unknown: [] }
const status = () =>
  createStatus({ db, runtime, log: silentLog, evidence: () => Promise.resolve(found) })
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 4, runtime, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

function passMinute() {
  runtime.pass(60_000)
  runtime.clock.setAheadMs(runtime.clock.aheadMs() + 60_000)
}
const add = (component: string, columns: string) =>
  database.sql(
    `insert into status.day (day, component, ${columns}) values ($1, $2, 10)
     on conflict (day, component) do update set ${columns} = excluded.${columns}`,
    [runtime.clock.now().toISOString().slice(0, 10), component],
  )
const minutesOf = async (one: ReturnType<typeof createStatus>, id: string) =>
  (await one.now()).shown.components.find((component) => component.id === id)!.days.at(-1)!.minutes

test('however many ask, the database is read every five seconds at most', async () => {
  const asked = status()
  expect(await minutesOf(asked, 'api')).toBe(0)
  await add('api', 'operational')
  const many = await Promise.all(Array.from({ length: 500 }, () => asked.now()))
  expect(new Set(many).size).toBe(1)
  expect(await minutesOf(asked, 'api')).toBe(0)
  runtime.pass(KEPT_MS)
  expect(await minutesOf(asked, 'api')).toBe(10)
})

test('without the database: what was known, since when, and what cannot work', async () => {
  const asked = status()
  await asked.measure.measure()
  const before = (await asked.now()).shown
  expect([before.state, before.stale]).toEqual(['operational', false])
  await database.sql('alter table status.watch rename to elsewhere')
  runtime.pass(KEPT_MS)
  const { shown } = await asked.now()
  expect(shown).toMatchObject({ state: 'outage', stale: true, measured_at: before.measured_at })
  expect(shown.message).toMatch(/^Our database does not answer.*known before\.$/)
  const states = Object.fromEntries(shown.components.map(({ id, state }) => [id, state]))
  expect(states).toMatchObject({ api: 'outage', purchases: 'outage', chain: 'unknown' })
  expect(shown.components[0]!.days).toEqual(before.components[0]!.days)
  const fresh = (await status().now()).shown
  expect([fresh.state, fresh.stale, fresh.measured_at]).toEqual(['outage', true, null])
  await database.sql('alter table status.elsewhere rename to watch')
  runtime.pass(KEPT_MS)
  expect((await asked.now()).shown).toMatchObject({ state: 'operational', stale: false })
})

test('nobody has measured for five minutes: it is not known, and not well', async () => {
  const asked = status()
  await database.sql(`update status.watch set real_at = clock_timestamp() - interval '6 minutes'`)
  const { shown } = await asked.now()
  expect([shown.state, shown.message]).toEqual(['unknown', 'Nothing was measured lately.'])
})

test('two processes count a minute once', async () => {
  const [one, other] = [status(), status()]
  passMinute()
  const done = await Promise.all([one.measure.measure(), other.measure.measure()])
  expect(done.filter(Boolean)).toHaveLength(1)
  expect(await one.measure.measure()).toBe(false)
})

test('what could not be looked at is no good minute, and ends no incident', async () => {
  const asked = status()
  const count = () => minutesOf(asked, 'delivery')
  const measure = async (next: Evidence) => {
    found = next
    passMinute()
    await asked.measure.measure()
  }
  await measure({ findings: [{ cause: 'deliveries_fail', impact: 'degraded' }], unknown: [] })
  const before = await count()
  await measure({ findings: [], unknown: ['deliveries_fail'] })
  expect((await asked.now()).shown.incidents[0]).toMatchObject({ ended_at: null })
  expect(await count()).toBe(before + 1)
  await measure({ findings: [], unknown: ['chain_behind'] })
  expect((await asked.now()).shown.incidents[0]!.ended_at).not.toBeNull()
  const chain = await minutesOf(asked, 'chain')
  await measure({ findings: [], unknown: ['chain_behind'] })
  expect(await minutesOf(asked, 'chain')).toBe(chain)
  expect(await count()).toBe(before + 3)
})

test('an incident has the worst that it was, and a minute counts as what it is', async () => {
  const asked = status()
  const day = () =>
    database.sql<{ degraded: number; outage: number }>(
      `select sum(degraded)::int as degraded, sum(outage)::int as outage from status.day where component = 'webhooks'`,
    )
  const [before] = await day()
  for (const impact of ['degraded', 'outage', 'degraded'] as const) {
    found = { findings: [{ cause: 'webhooks_late', impact }], unknown: [] }
    passMinute()
    await asked.measure.measure()
  }
  expect((await asked.now()).shown.incidents[0]).toMatchObject({ impact: 'outage' })
  const { degraded, outage } = before!
  expect(await day()).toEqual([{ degraded: degraded + 2, outage: outage + 1 }])
})
