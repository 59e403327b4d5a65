import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../proof/testing/app.ts'
import { telegramOf } from '../../proof/testing/chat.ts'
import { fakeMarketplace } from '../../proof/testing/fakeMarketplace.ts'
import { openDevnet } from '../../proof/testing/world.ts'
import type { Db } from '../db/index.ts'
import { type Loop, silentLog, systemClock } from '../kernel/index.ts'
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

/** Before the time of every block: the first one has none. */
const PAST = '1960-01-01T00:00:00Z'
const ADDRESS = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'

function loops(): Loop[] {
  const { chain, dailySummary, ...rooms } = app.rooms
  const { orders, delivery, deposits, agent, autoenergy, webhooks, chat, pricing, mail } = rooms
  const own = [orders, delivery, deposits, agent, autoenergy, webhooks, chat]
  const single = [
    chain.broadcasts.loop,
    pricing.loop,
    rooms.clients.loop,
    rooms.providers.readLoop,
    rooms.signerLoop,
  ]
  return [...own.flatMap((room) => room.loops), ...single, mail.loop, dailySummary]
}

type Noticed = { loop: Loop; seen: boolean[] }

/** A loop that only records its notices. */
function listener(name: string, due: string | undefined, follows?: string): Noticed {
  const seen: boolean[] = []
  const loop: Loop = {
    name,
    due,
    follows,
    start() {},
    // Woken right after a notice: what it follows has changed.
    wake() {
      seen[seen.length - 1] = true
    },
    notice: (isDue) => void seen.push(isDue),
    runOnce: async () => 0,
    stop: async () => {},
  }
  return { loop, seen }
}

let watches = 0
const clock = systemClock()
function watch(...noticed: Noticed[]) {
  const loops = noticed.map(({ loop }) => loop)
  // A prepared name has one text per connection, and several watches share the pool here.
  const name = `app.readDue.${++watches}`
  const db: Db = {
    ...app.db,
    query: (statement, values) => app.db.query({ ...statement, name }, values),
  }
  const deps = { db, clock, log: silentLog, everyMs: 1_000 }
  return createDueWatch({ ...deps, loops })
}

test('the loops of every room have conditions that can be asked, and none holds at rest', async () => {
  const asked = loops()
    .filter(({ due, follows }) => due ?? follows)
    .map(({ name, due, follows }) => listener(name, due, follows))
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
  'orders.payCommissions': ['orders.commission', { amount_sun: '1' }],
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
  'delivery.fees': ['delivery.network_fee', { block_number: '0' }],
  'delivery.takenBack': ['delivery.foreign_reclaim', { block_number: '0' }],
  'agent.finish': [
    'agent.payment',
    { status: 'skipped', skip_reason: 'x', decided_at: PAST, block_number: '0' },
  ],
  'autoenergy.finish': ['autoenergy.call', { state: 'free', block_number: '0' }],
  'mail.send': ['mail.letter', { due_at: PAST }],
  'agent.decide': ['agent.payment', { status: 'processing', block_number: '1', try_after: PAST }],
  'autoenergy.settle': [
    'autoenergy.subscription',
    { status: 'pending_activation', idle_hours: '24' },
  ],
  'webhooks.fanOut': ['events.pending', { reader: 'webhooks' }],
  'webhooks.deliver': ['webhooks.queue', { due_at: PAST }],
  'webhooks.replay': ['webhooks.replay', { state: 'running' }],
  'chat.fanOut': ['events.pending', { reader: 'chat' }],
  'delivery.order.bazaar': ['delivery.part', { state: 'open', provider: 'bazaar' }],
  'delivery.resolve.bazaar': [
    'delivery.attempt',
    { provider: 'bazaar', state: 'absent', give_back: 'true' },
  ],
  'chat.send.telegram': ['chat.conversation', { app: 'telegram', due_at: PAST }],
  'chain.broadcast': ['chain.broadcast', { state: 'pending' }],
  'signing.wake': ['signing.request', { handed_over: 'false' }],
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
  const conditions = loops().filter(({ due }) => due !== undefined)
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

test('when nobody can look, each loop looks for itself', async () => {
  const loop = listener('a', 'false')
  const failing: Db = { ...app.db, query: () => Promise.reject(new Error('a table is locked')) }
  const deps = { db: failing, clock, log: silentLog, everyMs: 1_000, loops: [loop.loop] }
  await expect(createDueWatch(deps).runOnce()).rejects.toThrow('a table is locked')
  expect(loop.seen).toEqual([true])
})

test('the condition is asked at the business time', async () => {
  const later = listener('later', `$1 >= '2100-01-01T00:00:00Z'::timestamptz`)
  const sooner = listener('sooner', `$1 >= '2000-01-01T00:00:00Z'::timestamptz`)
  const due = watch(later, sooner)
  await due.runOnce()
  await due.runOnce()
  expect([later.seen[1], sooner.seen[1]]).toEqual([false, true])
})

const SOLD = {
  status: 'completed',
  order_id: '01a1dd1e-0000-7000-8000-00000000000b',
  cost_sun: '1',
  units: '1',
  energy: '1',
  decided_at: PAST,
  final_at: PAST,
  orphaned: 'true',
}

/** The other work of loops that have several kinds. */
const MORE: [loop: string, what: string, table: string, columns: Record<string, string>][] = [
  [
    'deposits.finish',
    'a deposit in a solid block',
    'deposits.deposit',
    { status: 'pending', block_number: '0' },
  ],
  [
    'deposits.finish',
    'a dead deposit',
    'deposits.deposit',
    { status: 'pending', expires_at: PAST },
  ],
  ['deposits.finish', 'a sweep under way', 'deposits.sweep', { state: 'open' }],
  [
    'delivery.standing',
    'an old reading',
    'delivery.standing',
    { look: 'false', wanted: '1', measured_at: PAST },
  ],
  [
    'delivery.reclaim',
    'an expired reclaim',
    'delivery.delegation',
    { reclaim_txid: 'y', reclaim_expires_at: PAST },
  ],
  [
    'delivery.reclaim',
    'an orphaned delegation',
    'delivery.delegation',
    { reclaim_at: '2100-01-01T00:00:00Z' },
  ],
  ['agent.finish', 'a dead payment', 'agent.payment', { status: 'processing', expires_at: PAST }],
  ['agent.finish', 'a delivered sale without its money', 'agent.payment', SOLD],
  ['signing.wake', 'a cancellation', 'signing.cancellation', {}],
  ['autoenergy.finish', 'a dead call', 'autoenergy.call', { state: 'seen', expires_at: PAST }],
]

test.each(MORE)('%s has work with %s', async (name, _what, table, columns) => {
  const asked = listener(name, loops().find((one) => one.name === name)!.due)
  const due = watch(asked)
  await due.runOnce()
  await plant(table, columns)
  await due.runOnce()
  await app.database.sql(`delete from ${table}`)
  expect(asked.seen).toEqual([false, true])
})

const MOVE = `with made as (insert into identity.client_group (name, created_at) values ('shops', now()) returning name)
  insert into identity.account (id, name, created_at) values ('01a1dd1e-0000-7000-8000-00000000000a', '', now());
  update identity.account set group_name = 'shops'`

/** Changes by another process, each of which a loop has to read. */
const CHANGES: [loop: string, what: string, sql: string][] = [
  [
    'orders.payCommissions',
    'the commission',
    'update orders.referral_terms set basis_points = basis_points + 1',
  ],
  ['pricing.refresh', 'the terms', 'update pricing.terms set min_amount = min_amount + 1'],
  ['pricing.refresh', 'a discount', 'delete from pricing.discount'],
  ['pricing.refresh', 'a rule', 'update pricing.follow_rule set margin_sun = margin_sun'],
  ['pricing.refresh', 'a plan', 'update pricing.plan set position = position + 1'],
  ['identity.readClients', 'a group', MOVE],
  [
    'providers.read',
    'a switch',
    `update providers.provider set enabled = not enabled where name = 'bazaar'`,
  ],
  [
    'providers.read',
    'a circuit',
    `update providers.provider set shut_until = 'infinity' where name = 'bazaar'`,
  ],
  ['providers.read', 'an offer', 'update providers.offer set seen_at = clock_timestamp()'],
  ['providers.read', 'a stale offer', `update providers.offer set seen_at = '${PAST}'`],
  ['providers.read', 'no offer', 'delete from providers.offer'],
]

test.each(CHANGES)('%s is told of %s, once', async (name, _what, sql) => {
  await app.database.sql(`insert into providers.offer (provider, unit_price_sun, capacity_energy, seen_at)
    select name, 1, 1, clock_timestamp() from providers.provider on conflict do nothing`)
  const asked = listener(name, undefined, loops().find((one) => one.name === name)!.follows)
  const due = watch(asked)
  await due.runOnce()
  await due.runOnce()
  await app.database.sql(sql)
  await due.runOnce()
  await due.runOnce()
  expect(asked.seen).toEqual([true, false, true, false])
})

test('everything that is followed has its change here, but for the day and the blocks', () => {
  const followed = loops().filter(({ follows }) => follows !== undefined)
  const changed = new Set(CHANGES.map(([name]) => name))
  const names = new Set(followed.map(({ name }) => name))
  expect(names).toEqual(new Set([...changed, 'account.dailySummary', 'delivery.conclude']))
})

test('a new block is noticed by who follows the chain', async () => {
  const loop = listener('lag', undefined, app.rooms.chain.lag.loop.follows)
  const due = watch(loop)
  await due.runOnce()
  app.devnet.chain.mine()
  await app.scanned()
  await due.runOnce()
  expect(loop.seen).toEqual([true, true])
})

test('the loop that concludes is woken by a delegation to a receiver that we watch, and again when another block holds it', async () => {
  const { follows } = loops().find(({ name }) => name === 'delivery.conclude')!
  const loop = listener('conclude', undefined, follows)
  const due = watch(loop)
  const see = (block: number) =>
    app.database.sql(
      `insert into delivery.sighting (txid, owner_address, receiver_address, stake_sun, block_number, seen_at)
       values ('seen', '', '', 1, $1, '2026-01-01Z')
       on conflict (txid) do update set block_number = excluded.block_number`,
      [block],
    )
  await due.runOnce()
  await due.runOnce()
  await see(7)
  await due.runOnce()
  await see(8)
  await due.runOnce()
  expect(loop.seen).toEqual([true, false, true, true])
})

test('a clock moved by another process is followed, and loops are asked about at the new time', async () => {
  const { follows } = app.rooms.dailySummary
  const tomorrow = new Date(clock.now().getTime() + 86_400_000).toISOString()
  const [day, later] = [
    listener('day', undefined, follows),
    listener('later', `$1 >= '${tomorrow}'::timestamptz`),
  ]
  const due = watch(day, later)
  expect(await due.runOnce()).toBe(0)
  await app.database.sql('update db.clock set ahead_ms = ahead_ms + 90000000')
  expect(await due.runOnce()).toBe(1)
  expect(await due.runOnce()).toBe(0)
  expect([day.seen, later.seen]).toEqual([
    [true, false, true],
    [false, false, true],
  ])
})
