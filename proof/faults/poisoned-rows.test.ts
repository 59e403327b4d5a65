// Proves: db, orders, delivery, deposits, treasury, staking, agent, autoenergy, account, webhooks, chat, mail, chain, providers, operator.
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { advanceBusinessTime } from '../../service/db/index.ts'
import { type Loop, sun, systemClock, systemRuntime } from '../../service/kernel/index.ts'
import { openTestApp, TEST_KEY, type TestAccount, type TestApp } from '../testing/app.ts'
import { telegramOf } from '../testing/chat.ts'
import { fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { openOwnSigner } from '../testing/ownSigner.ts'
import { openReceiver, type Receiver, testNetwork } from '../testing/receiver.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'
import { delivery } from './poisoned/energy.ts'
import { money, orders } from './poisoned/money.ts'
import { news, outside } from './poisoned/news.ts'
import type { Case, World } from './poisoned/plant.ts'
import { resale } from './poisoned/resale.ts'
import { staking, treasury } from './poisoned/treasury.ts'

// One bad row stops nobody: each loop gets one row among a hundred whose update fails.

/**
 * Few where each row costs a request to a node, a marketplace or a chat, or needs its own account.
 */
const [MANY, FEW] = [100, 10]
const cases: readonly Case[] = [
  ...[...delivery, ...money, ...orders, ...resale],
  ...[...treasury, ...staking, ...news, ...outside],
]

/** Loops that do not work on single rows, and why they need no isolation. */
const OTHERS: Record<string, string> = {
  'agent.live': 'reads for open pages',
  'app.dueWatch': 'one query for all loops',
  'audit.check': 'checks the books as a whole',
  'books.rollForward': 'counts movements, and compares days; a difference is recorded',
  'chain.lag': 'reads the cursor',
  'chain.scan': 'no block may be left out: see the last tests',
  'chat.lease': 'one row for each app',
  'chat.receive.telegram': 'see the test of its own: the app numbers its updates',
  'db.housekeeping': 'isolates tables: service/db/housekeeping.test.ts',
  'delivery.forget': 'ends what is watched by age in one statement',
  'delivery.score': 'counts attempts by the hour',
  'deposits.look': 'reads balances',
  'deposits.reconcile': 'compares all money with all debts',
  'events.prepareDays': 'creates partitions',
  'identity.readClients': 'reads what operators decided about clients',
  'identity.followRevision': 'reads what was revoked',
  'identity.writeUses': 'writes when keys were last used; nothing waits for it',
  'ledger.addUp': 'sums movements',
  'pricing.follow': 'isolates rules: service/pricing/follow.test.ts',
  'pricing.refresh': 'reads prices',
  'providers.read': 'reads offers',
}

let app: TestApp
let receiver: Receiver
let client: TestAccount
const runtime = standingRuntime()

/** Business time that only moves when the test moves it, so that nothing is retried by itself. */
function standingRuntime() {
  const clock = systemClock()
  const beganMs = clock.wallMs()
  return systemRuntime({ ...clock, now: () => new Date(beganMs + clock.aheadMs()) })
}

beforeAll(async () => {
  receiver = await openReceiver()
  const devnet = await openDevnet({ blockMs: 0 })
  const market = (name: string, key: number) => fakeMarketplace(devnet, { name, key })
  const marketplaces = [market('bazaar', 9), market('souk', 8), market('agora', 7)]
  for (const one of marketplaces) one.behaviour = 'late'
  app = await openTestApp({
    devnet,
    runtime,
    role: 'api',
    scans: true,
    marketplaces,
    chat: telegramOf(devnet),
    mail: 'log',
    sweepMin: sun(1_000_000n),
    webhooks: { secretsKey: TEST_KEY, network: testNetwork() },
  })
  client = await app.newAccount()
  await app.scanned()
  await app.database.sql(`create function public.poisoned() returns trigger language plpgsql as
    $$ begin raise exception 'poisoned'; end $$`)
})
afterAll(async () => {
  await app.close()
  await app.devnet.close()
  await receiver.close()
})
// Renew the lease of the chats, which expires after seconds.
beforeEach(() => loopOf('chat.lease').runOnce())
afterEach(() => app.database.sql('truncate db.put_aside'))

function loops(): Loop[] {
  const { audit, authenticator, chain, dailySummary, events, mail, pricing, providers } = app.rooms
  const { orders, delivery, deposits, agent, autoenergy, webhooks, chat } = app.rooms
  const { staking, treasury } = app.rooms
  const rooms = [orders, delivery, deposits, agent, autoenergy, webhooks, chat, staking, treasury]
  return [
    ...rooms.flatMap((room) => room.loops),
    ...[authenticator.loop, authenticator.usesLoop, agent.live.loop, mail.loop],
    ...[
      audit.loop,
      app.rooms.books.loop,
      app.rooms.statements.loop,
      events.loop,
      app.rooms.clients.loop,
    ],
    ...[pricing.loop, pricing.following.loop],
    ...[chain.broadcasts.loop, chain.lag.loop, chain.scanLoop, dailySummary],
    ...[providers.pollLoop, providers.readLoop, app.rooms.housekeeping, app.rooms.sums],
  ].filter(({ name }) => !/^delivery\..*\.(agora|souk)$/.test(name))
}

const BY_TYPE: Record<string, string> = {
  uuid: '01a1dd1e-0000-7000-8000-00000000000a',
  text: 'x',
  bigint: '1',
  integer: '1',
  boolean: 'false',
  bytea: '',
  'timestamp with time zone': '2026-01-01T00:00:00Z',
  ARRAY: '{}',
}

/** Inserts rows without foreign keys and triggers; columns not named get a value by their type. */
async function plant(table: string, rows: readonly Record<string, string>[]): Promise<void> {
  const [schema, name] = table.split('.')
  const needed = await app.database.sql<{ column: string; type: string }>(
    `select column_name as column, data_type as type from information_schema.columns
      where table_schema = $1 and table_name = $2 and is_nullable = 'NO' and column_default is null`,
    [schema, name],
  )
  const base = Object.fromEntries(needed.map(({ column, type }) => [column, BY_TYPE[type] ?? '{}']))
  const columns = Object.keys({ ...base, ...rows[0] })
  const values = rows.map((row) => {
    const whole: Record<string, string> = { ...base, ...row }
    return `(${columns.map((column) => `'${whole[column]}'`).join(', ')})`
  })
  await app.database.sql(`begin; set local session_replication_role = replica;
    insert into ${table} (${columns.join(', ')}) values ${values.join(', ')}; commit`)
}

async function webhook(): Promise<string> {
  // Webhooks need a deposit.
  const deposit = { status: 'confirmed', posted: 'true', amount_sun: '2000000' }
  const at = runtime.clock.now().toISOString()
  const final = { credited_at: at, verified_at: at, id: runtime.ids.next() }
  await plant('deposits.deposit', [
    { ...deposit, ...final, account_id: client.account_id, txid: final.id },
  ])
  const events = { 'balance.changed': true }
  const body = { name: 'test', url: receiver.url('/poisoned'), events }
  const made = await app.call('POST', '/v1/webhooks', { key: client.api_key, body })
  expect([made.status, made.text]).toEqual([201, made.text])
  return made.body.id
}

const world = (): World => ({
  app,
  account: client.account_id,
  now: runtime.clock.now(),
  many: MANY,
  few: FEW,
  plant,
  webhook,
})

const pass = (ms: number) => advanceBusinessTime(app.db, runtime.clock, ms)
const loopOf = (name: string) => loops().find((loop) => loop.name === name)!

/** They send beside their rounds, and a stop ends that. */
const SENDERS = ['webhooks.deliver', 'chat.send.telegram']

async function aside(loop: string) {
  const { rows } = (await app.rooms.operator.status()).aside
  return rows
    .filter((row) => row.loop === loop)
    .map(({ subject, error, failures, nextAt }) => ({
      subject,
      error,
      failures,
      pauseMs: nextAt.getTime() - runtime.clock.now().getTime(),
    }))
}

test.each(cases.map((one) => [`${one.loop}${one.also ? `: ${one.also}` : ''}`, one] as const))(
  '%s',
  async (_name, { loop: name, kind, poison, left, again, clean, ...one }) => {
    const loop = loopOf(name)
    // Only this test runs it: two rounds at once would fail twice.
    if (!SENDERS.includes(name)) await loop.stop()
    const { sql } = app.database
    const { keys, subjects = keys } = await one.plant(world())
    const [key, subject] = [keys[0]!, `${kind} ${subjects[0]}`]
    const of = poison.when === 'delete' ? 'old' : 'new'
    await sql(`create trigger poison before ${poison.when} on ${poison.table} for each row
      when (${of}.${poison.column}::text = '${key}') execute function public.poisoned()`)
    const leftKeys = async () => (await sql<{ id: string }>(left)).map(({ id }) => id)
    expect((await leftKeys()).toSorted()).toEqual(keys.toSorted())
    const failed = (failures: number, pauseMs: number) => [
      { subject, error: 'poisoned', failures, pauseMs },
    ]
    const rounds = (what: string, isDone: () => Promise<boolean>) =>
      until(what, async () => {
        if (again) await sql(again)
        await loop.runOnce()
        return isDone()
      })

    await rounds('the others', async () => (await leftKeys()).length === 1)
    expect(await leftKeys()).toEqual([key])
    await until('it is put aside', async () => (await aside(name)).length > 0)
    expect(await aside(name)).toEqual(failed(1, 1_000))
    if (again) await sql(again)
    await loop.runOnce()
    expect(await aside(name)).toEqual(failed(1, 1_000))

    await pass(1_000)
    await rounds('the second try', async () => (await aside(name))[0]?.failures === 2)
    expect(await aside(name)).toEqual(failed(2, 2_000))

    await sql(`drop trigger poison on ${poison.table}`)
    await pass(2_000)
    await rounds('the third try', async () => (await leftKeys()).length === 0)
    await until('nothing is put aside', async () => (await aside(name)).length === 0)
    if (clean) await sql(`truncate ${clean} cascade`)
  },
)

test('every loop of the service is here', () => {
  const here = new Set([...cases.map(({ loop }) => loop), ...Object.keys(OTHERS)])
  here.delete('app.dueWatch')
  expect(
    loops()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...here].toSorted())
})

test('more bad things than a round takes do not keep the others waiting', async () => {
  const start = loopOf('orders.start')
  const { keys } = await orders
    .find(({ loop }) => loop === 'orders.start')!
    .plant({
      ...world(),
      many: 2 * MANY + 1,
    })
  const last = keys.at(-1)!
  await app.database.sql(`create trigger poison before update on orders.purchase_order for each row
    when (new.id::text < '${last}') execute function public.poisoned()`)
  await start.runOnce()
  await start.runOnce()
  await start.runOnce()
  const started = `select id from orders.purchase_order where status = 'PROCESSING'`
  expect(await app.database.sql(started)).toEqual([{ id: last }])
  const counted = (await app.call('GET', '/metrics')).text
  expect(counted).toMatch(/^ergon_put_aside\{loop="orders.start"\} 200$/m)
  await app.database.sql('drop trigger poison on orders.purchase_order')
  await pass(600_000)
  while ((await start.runOnce()) > 0);
  expect(
    await app.database.sql(`select from orders.purchase_order where status = 'PENDING'`),
  ).toEqual([])
  await app.database.sql('truncate orders.purchase_order, delivery.request cascade')
})

test('a pause is ten minutes at most', async () => {
  const row = { loop: 'orders.start', error: 'x', failures: '40' }
  const { keys } = await orders
    .find(({ loop }) => loop === 'orders.start')!
    .plant({
      ...world(),
      many: 1,
    })
  const at = runtime.clock.now().toISOString()
  await plant('db.put_aside', [{ ...row, subject: `order ${keys[0]}`, next_at: at }])
  await app.database.sql(`create trigger poison before update on orders.purchase_order for each row
    execute function public.poisoned()`)
  await loopOf('orders.start').runOnce()
  expect(await aside('orders.start')).toMatchObject([{ failures: 41, pauseMs: 600_000 }])
  await app.database.sql('drop trigger poison on orders.purchase_order')
  await app.database.sql('truncate orders.purchase_order cascade')
})

test('chat.receive.telegram: the command of one chat that raises does not stop the others', async () => {
  const loop = loopOf('chat.receive.telegram')
  const chats = Array.from({ length: FEW }, (_, n) => `${3_000 + n}`)
  await app.database.sql(`create trigger poison before insert on chat.message for each row
    when (new.address = '${chats[0]}') execute function public.poisoned()`)
  for (const chat of chats) {
    app.devnet.telegram.change(chat, {})
    app.devnet.telegram.say(chat, '/stop')
  }
  const answered = async () =>
    (
      await app.database.sql<{ address: string }>(
        'select address from chat.message order by address',
      )
    ).map(({ address }) => address)
  await until('the others', async () => {
    await loop.runOnce()
    return (await answered()).length === FEW - 1
  })
  expect(await answered()).toEqual(chats.slice(1))
  expect(await aside(loop.name)).toMatchObject([{ error: 'poisoned', failures: 1, pauseMs: 1_000 }])
  await app.database.sql('drop trigger poison on chat.message')
  await pass(1_000)
  await until('the first', async () => {
    await loop.runOnce()
    return (await answered()).length === FEW
  })
  expect(await aside(loop.name)).toEqual([])
})

test('signer.answer: one answer that cannot be written does not hold back the others', async () => {
  const signer = await openOwnSigner()
  onTestFinished(signer.close)
  const { sql } = signer.database
  await sql(`insert into signing.request (id, purpose, owner_address, raw_bytes, txid, expires_at, created_at)
    select gen_random_uuid(), 'reclaim', 'x', 'x', 'tx' || n, now(), now() from generate_series(1, ${MANY}) n`)
  const [bad] = await sql<{ id: string }>('select id from signing.request order by id limit 1')
  await sql(`create function public.poisoned() returns trigger language plpgsql as
    $$ begin raise exception 'poisoned'; end $$`)
  await sql(`create trigger poison before insert on signing.answer for each row
    when (new.request_id = '${bad!.id}') execute function public.poisoned()`)
  const open = async () =>
    (
      await sql(
        'select from signing.request r where not exists (select from signing.answer where request_id = r.id)',
      )
    ).length
  const failures = async () => (await sql('select subject, failures from db.put_aside'))[0]
  expect(await signer.answerRequests()).toBe(MANY - 1)
  expect(await open()).toBe(1)
  expect(await failures()).toEqual({ subject: `answer ${bad!.id}`, failures: 1 })
  expect(await signer.answerRequests()).toBe(0)
  signer.clock.ms += 1_000
  await signer.answerRequests()
  expect(await failures()).toEqual({ subject: `answer ${bad!.id}`, failures: 2 })
  await sql('drop trigger poison on signing.answer')
  signer.clock.ms += 2_000
  expect(await signer.answerRequests()).toBe(1)
  expect(await failures()).toBeUndefined()
})

test('chain.scan: a block that cannot be booked stops it, and operators see block and error', async () => {
  await app.database.sql(`create trigger poison before insert on chain.block for each row
    execute function public.poisoned()`)
  app.devnet.chain.mine()
  const block = app.devnet.chain.head.number
  await expect(app.rooms.chain.scanLoop.runOnce()).rejects.toThrow('poisoned')
  const { scanner, all } = await app.rooms.operator.status()
  expect(scanner.trouble).toBe(`The scanner stands before block ${block}: poisoned`)
  expect(all).toContainEqual(expect.objectContaining({ what: 'put_aside', count: 1n }))
  expect(scanner.block).toBe(block - 1)
  await app.database.sql('drop trigger poison on chain.block')
  await app.scanned()
  await until('no trouble', async () => {
    return (await app.rooms.operator.status()).scanner.trouble === null
  })
})
