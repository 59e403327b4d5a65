import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { telegramOf } from '../../proof/testing/chat.ts'
import { fakeMarketplace } from '../../proof/testing/fakeMarketplace.ts'
import { openDevnet } from '../../proof/testing/world.ts'
import type { Db } from '../db/index.ts'
import { type Loop, silentLog, systemClock, WITH_BLOCKS } from '../kernel/index.ts'
import { createDueWatch } from './dueWatch.ts'

let app: TestApp
beforeAll(async () => {
  const devnet = await openDevnet({ blockMs: 0 })
  const marketplaces = [fakeMarketplace(devnet, { name: 'bazaar', key: 9 })]
  app = await openTestApp({
    devnet,
    role: 'api',
    scans: true,
    chat: telegramOf(devnet),
    marketplaces,
  })
  await app.scanned()
})
afterAll(async () => {
  await app.close()
  await app.devnet.close()
})

const PAST = '2026-01-01T00:00:00Z'
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

function loops(): Loop[] {
  const { chain, dailySummary, ...rooms } = app.rooms
  const { orders, delivery, deposits, agent, autoenergy, webhooks, chat } = rooms
  const own = [orders, delivery, deposits, agent, autoenergy, webhooks, chat]
  return [...own.flatMap((room) => room.loops), chain.broadcasts.loop, dailySummary]
}

type Noticed = { loop: Loop; seen: boolean[] }

/** A loop that only records its notices. */
function listener(name: string, due: string | undefined): Noticed {
  const seen: boolean[] = []
  const loop: Loop = {
    name,
    due,
    start() {},
    wake() {},
    notice: (isDue) => void seen.push(isDue),
    runOnce: async () => 0,
    stop: async () => {},
  }
  return { loop, seen }
}

let watches = 0
function watch(...noticed: Noticed[]) {
  const loops = noticed.map(({ loop }) => loop)
  // A prepared name has one text per connection, and several watches share the pool here.
  const name = `app.readDue.${++watches}`
  const db: Db = {
    ...app.db,
    query: (statement, values) => app.db.query({ ...statement, name }, values),
  }
  const deps = { db, clock: systemClock(), log: silentLog, everyMs: 1_000 }
  return createDueWatch({ ...deps, loops })
}

test('the loops of every room have conditions that can be asked, and none holds at rest', async () => {
  const asked = loops()
    .filter(({ due }) => due !== undefined)
    .map(({ name, due }) => listener(name, due))
  expect(asked.length).toBeGreaterThan(15)
  const due = watch(...asked)
  await due.runOnce()
  await due.runOnce()
  const busy = asked.filter(({ seen }) => seen[1]).map(({ loop }) => loop.name)
  expect(busy).toEqual([])
})

/** Rows that give a loop work. Columns not named here get a value by their type. */
const WORK: Record<string, [table: string, columns: Record<string, string>]> = {
  'orders.start': ['orders.purchase_order', { status: 'PENDING', source: 'api' }],
  'orders.expireCheckouts': ['orders.checkout', { open: 'true', expires_at: PAST }],
  'delivery.place': ['delivery.part', { state: 'open', provider: 'own_stake' }],
  'delivery.conclude': ['delivery.request', { state: 'open' }],
  'delivery.reclaim': [
    'delivery.delegation',
    { provider: 'own_stake', reclaim_at: PAST, block_number: '1' },
  ],
  'delivery.standing': ['delivery.standing', { look: 'true' }],
  'deposits.finish': [
    'deposits.payout',
    {
      state: 'approved',
      approved_by: 'y',
      approved_at: PAST,
      reason: 'asked for',
      to_address: ADDRESS,
    },
  ],
  'agent.decide': ['agent.payment', { status: 'processing', block_number: '1', try_after: PAST }],
  'autoenergy.settle': [
    'autoenergy.subscription',
    { status: 'pending_activation', idle_hours: '24' },
  ],
  'webhooks.fanOut': ['events.pending', { reader: 'webhooks' }],
  'webhooks.deliver': ['webhooks.queue', { due_at: PAST }],
  'chat.fanOut': ['events.pending', { reader: 'chat' }],
  'delivery.order.bazaar': ['delivery.part', { state: 'open', provider: 'bazaar' }],
  'delivery.resolve.bazaar': [
    'delivery.attempt',
    { provider: 'bazaar', state: 'absent', give_back: 'true' },
  ],
  'chat.send.telegram': ['chat.conversation', { app: 'telegram', due_at: PAST }],
  'chain.broadcast': ['chain.broadcast', { state: 'pending' }],
}

const BY_TYPE: Record<string, string> = {
  uuid: '01a1dd1e-0000-7000-8000-00000000000a',
  text: 'x',
  bigint: '1',
  integer: '1',
  smallint: '1',
  boolean: 'false',
  bytea: '',
  'timestamp with time zone': PAST,
  ARRAY: '{}',
}

async function plant(table: string, given: Record<string, string>): Promise<void> {
  const [schema, name] = table.split('.')
  const needed = await app.database.sql<{ column: string; type: string }>(
    `select column_name as column, data_type as type from information_schema.columns
      where table_schema = $1 and table_name = $2 and is_nullable = 'NO' and column_default is null`,
    [schema, name],
  )
  const row = new Map(needed.map(({ column, type }) => [column, BY_TYPE[type]!]))
  for (const [column, value] of Object.entries(given)) row.set(column, value)
  const values = [...row.values()].map((value) => `'${value}'`)
  // Without foreign keys and triggers: each row stands alone.
  await app.database.sql(`begin; set local session_replication_role = replica;
    insert into ${table} (${[...row.keys()].join(', ')}) values (${values.join(', ')}); commit`)
}

test.each(Object.keys(WORK))('%s has work with its row, and none without', async (name) => {
  const [table, columns] = WORK[name]!
  const loop = loops().find((one) => one.name === name)
  const asked = listener(name, loop!.due)
  const due = watch(asked)
  await due.runOnce()
  await due.runOnce()
  await plant(table, columns)
  await due.runOnce()
  await app.database.sql(`delete from ${table}`)
  expect(asked.seen.slice(1)).toEqual([false, true])
})

test('every condition has its row here', () => {
  const conditions = loops().filter(({ due }) => due !== undefined && due !== WITH_BLOCKS)
  expect(conditions.map(({ name }) => name).toSorted()).toEqual(Object.keys(WORK).toSorted())
})

test('each loop is notified of its own work, and a loop without a condition of none', async () => {
  const [work, none, open] = [
    listener('a', 'true'),
    listener('b', 'false'),
    listener('c', undefined),
  ]
  const due = watch(none, open, work)
  await due.runOnce()
  await due.runOnce()
  expect([work.seen[1], none.seen[1], open.seen]).toEqual([true, false, []])
})

test('the condition is asked at the business time', async () => {
  const later = listener('later', `$1 >= '2100-01-01T00:00:00Z'::timestamptz`)
  const sooner = listener('sooner', `$1 >= '2000-01-01T00:00:00Z'::timestamptz`)
  const due = watch(later, sooner)
  await due.runOnce()
  await due.runOnce()
  expect([later.seen[1], sooner.seen[1]]).toEqual([false, true])
})

test('a new block is noticed once by every loop', async () => {
  const loop = listener('finish', WITH_BLOCKS)
  const due = watch(loop)
  await due.runOnce()
  await due.runOnce()
  app.devnet.chain.mine()
  await app.scanned()
  await due.runOnce()
  await due.runOnce()
  expect(loop.seen[1]).toBe(false)
  expect(loop.seen.slice(2)).toContain(true)
})
