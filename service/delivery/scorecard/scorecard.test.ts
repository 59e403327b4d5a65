import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../proof/testing/database.ts'
import { testRuntime } from '../../../proof/testing/runtime.ts'
import { type Db, openDb } from '../../db/index.ts'
import { silentLog } from '../../kernel/index.ts'
import { createScorecard } from './scorecard.ts'

const HOUR_MS = 3_600_000
const runtime = testRuntime()
let database: TestDatabase
let db: Db
let scorecard: ReturnType<typeof createScorecard>
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'test' })
  scorecard = createScorecard({ db, runtime, log: silentLog })
  await database.sql(
    `insert into delivery.request (id, receiver_address, energy, duration_seconds, deadline_at, state, trace, created_at)
     values ($1, 'T', 1, 3600, now(), 'delivered', '', now())`,
    [REQUEST],
  )
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const REQUEST = '01930000-0000-7000-8000-00000000c001'
type Made = { hoursAgo: number; provider?: string; state: string; seconds?: number; price?: number }

async function attempt({ hoursAgo, provider = 'bazaar', state, seconds, price = 10 }: Made) {
  const at = new Date(runtime.clock.now().getTime() - hoursAgo * HOUR_MS)
  const part = runtime.ids.next()
  await database.sql(
    `insert into delivery.part (id, request_id, provider, energy, state, unit_price_sun) values ($1, $2, $3, 100, 'open', 15)`,
    [part, REQUEST, provider],
  )
  const [made] = await database.sql<{ id: string }>(
    `insert into delivery.attempt (id, part_id, provider, state, energy, unit_price_sun, created_at)
     select overlay(gen_random_uuid()::text placing left(db.id_at($1)::text, 13) from 1 for 13)::uuid, $2, $3, $4, 100, $5, $1
     returning id`,
    [at, part, provider, state, provider === 'own_stake' ? 0 : price],
  )
  if (seconds === undefined) return made!.id
  await database.sql(
    `insert into delivery.delegation (txid, attempt_id, owner_address, receiver_address, stake_sun, energy, block_number,
                                      delegated_at, reclaim_at, provider)
     values ($1, $2, 'T', 'T', 1, 100, 1, $3, $3, $4)`,
    [`tx ${made!.id}`, made!.id, new Date(at.getTime() + seconds * 1_000), provider],
  )
  return made!.id
}

async function scores() {
  await scorecard.loop.runOnce()
  // Answers are kept for half a minute.
  runtime.pass(30_000)
  const { rows } = await scorecard.read()
  return rows.toSorted((a, b) =>
    `${a.provider} ${a.window}`.localeCompare(`${b.provider} ${b.window}`),
  )
}

test('windows hold what was made within them, and medians come from deliveries alone', async () => {
  for (const seconds of [2, 3, 3.2, 60]) await attempt({ hoursAgo: 1, state: 'delivered', seconds })
  await attempt({ hoursAgo: 2, state: 'refused' })
  await attempt({ hoursAgo: 2, state: 'sent' })
  await attempt({ hoursAgo: 100, state: 'delivered', seconds: 9, price: 20 })
  await attempt({ hoursAgo: 100, state: 'partial', seconds: 1 })
  await attempt({ hoursAgo: 600, state: 'absent' })
  await attempt({ hoursAgo: 800, state: 'absent' })
  await attempt({ hoursAgo: 1, state: 'delivered', seconds: 4, provider: 'own_stake' })
  const own = { provider: 'own_stake', delivered: 1n, failed: 0n, price: 15n, median: 4n, p95: 4n }
  expect(await scores()).toEqual([
    {
      provider: 'bazaar',
      window: '24h',
      delivered: 4n,
      failed: 1n,
      price: 10n,
      median: 3n,
      p95: 60n,
    },
    {
      provider: 'bazaar',
      window: '30d',
      delivered: 5n,
      failed: 3n,
      price: 12n,
      median: 4n,
      p95: 60n,
    },
    {
      provider: 'bazaar',
      window: '7d',
      delivered: 5n,
      failed: 2n,
      price: 12n,
      median: 4n,
      p95: 60n,
    },
    { ...own, window: '24h' },
    { ...own, window: '30d' },
    { ...own, window: '7d' },
  ])
})

test('what is decided within two days is counted when it is, and nothing twice', async () => {
  const open = await attempt({ hoursAgo: 30, state: 'unknown', provider: 'souk' })
  await scores()
  await database.sql(`update delivery.attempt set state = 'absent' where id = $1`, [open])
  await scores()
  const found = (await scores()).filter(({ provider }) => provider === 'souk')
  expect(found.map(({ window, failed }) => [window, failed])).toEqual([
    ['30d', 1n],
    ['7d', 1n],
  ])
})

test('what came after the deadline has failed', async () => {
  await attempt({ hoursAgo: 1, state: 'delivered', seconds: 3_700, provider: 'slow' })
  await attempt({ hoursAgo: 1, state: 'delivered', seconds: 2, provider: 'slow' })
  const found = (await scores()).find(({ provider }) => provider === 'slow')
  expect(found).toMatchObject({ delivered: 1n, failed: 1n, median: 2n, p95: 2n })
})

test('a day is counted in one transaction, and a count that failed goes on where it was', async () => {
  const before = await scores()
  await database.sql('delete from delivery.scorecard_hour')
  await database.sql('update delivery.scorecard set counted_at = null')
  await database.sql(
    `create function delivery.refuse_today() returns trigger language plpgsql as
     $$ begin if new.hour > now() - interval '12 hours' then raise 'too long'; end if; return new; end $$;
     create trigger refuse_today before insert on delivery.scorecard_hour for each row execute function delivery.refuse_today()`,
  )
  await expect(scorecard.loop.runOnce()).rejects.toThrow('too long')
  const { countedAt, rows } = await scorecard.read()
  const now = runtime.clock.now().getTime()
  expect(now - countedAt!.getTime()).toBeLessThan(25 * HOUR_MS)
  expect(rows.some(({ window }) => window === '30d')).toBe(true)
  await database.sql('drop function delivery.refuse_today cascade')
  expect(await scores()).toEqual(before)
})
