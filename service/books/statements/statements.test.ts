import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../proof/testing/database.ts'
import { testRuntime } from '../../../proof/testing/runtime.ts'
import { until } from '../../../proof/testing/until.ts'
import { type Db, openDb } from '../../db/index.ts'
import { silentLog } from '../../kernel/index.ts'
import { createLedger } from '../../ledger/index.ts'
import type { Charge, Marketplace } from '../../providers/index.ts'
import { kindOf } from './kind.ts'
import { daysBefore, nextNight } from './night.ts'
import { createStatements } from './statements.ts'

const PAGE = 10
const system = testRuntime()
let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const urls = [database.url('ergon_app')]
  db = await openDb({ urls, connections: 6, runtime: system, log: silentLog, name: 'test' })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})
beforeEach(() =>
  database.sql(`truncate books.statement_source, books.statement_row, books.statement_day,
    books.statement_difference, db.put_aside`),
)

/** A marketplace's list of charges that we never asked for, newest first, and how often it was asked. */
function bazaar(count: number) {
  const charges: Charge[] = Array.from({ length: count }, (_, place) => ({
    entryId: `e-${count - place}`,
    orderId: `o-${count - place}`,
    amount: 1_000n,
    at: new Date(Date.now() - place * 1_000),
  }))
  const market = {
    name: 'bazaar',
    asked: 0,
    async readStatement(page: string | null) {
      market.asked += 1
      const start = Number(page ?? 0)
      const shown = charges.slice(start, start + PAGE)
      const next = start + PAGE < charges.length ? String(start + PAGE) : null
      return { charges: shown, oldest: shown.at(-1)?.at ?? null, next }
    },
  }
  return { market, charges }
}

/** A worker, which stops at a step until it is let go. */
function worker(market: unknown, stopAt = '', paidIn = { arrived: 0n, pending: 0n }) {
  let letGo = () => {}
  let stopped = false
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const runtime = {
    ...system,
    async step(label: string) {
      if (stopAt === '' || !label.startsWith(stopAt)) return
      stopped = true
      await gate
    },
  }
  const one = market as Marketplace
  const providers = { marketplaces: new Map([[one.name, one]]), mayCall: async () => true }
  const ledger = createLedger({ db, runtime })
  const statements = createStatements({
    db,
    runtime,
    log: silentLog,
    ledger,
    providers,
    toppedUp: async () => paidIn,
  })
  return { statements, letGo, isStopped: () => stopped }
}

const differences = () =>
  database.sql<{ order_id: string }>('select order_id from books.statement_difference')
const rows = () => database.sql('select from books.statement_row')

async function ask(statements: ReturnType<typeof worker>['statements']) {
  await statements.loop.runOnce()
  await statements.ask()
}

async function finish(statements: ReturnType<typeof worker>['statements']) {
  while ((await statements.loop.runOnce()) > 0);
}

test('a statement over many pages is read in rounds, each charge once', async () => {
  const { market, charges } = bazaar(PAGE * 25 + 3)
  const { statements } = worker(market)
  await ask(statements)
  // Twenty pages are a round.
  await statements.loop.runOnce()
  expect(await statements.sources()).toMatchObject([{ isReading: true, comparedAt: null }])
  expect(await rows()).toHaveLength(PAGE * 20)
  await finish(statements)
  expect(market.asked).toBe(26)
  expect(await rows()).toHaveLength(charges.length)
  expect(await differences()).toHaveLength(charges.length)
})

test('a top-up of ours is no difference: while it is on its way, and once it has arrived', async () => {
  const market = { name: 'souk', readBalance: async () => balance }
  let balance = 1_000n
  const paidIn = { arrived: 300n, pending: 0n }
  const { statements } = worker(market, '', paidIn)
  const compare = async () => {
    await statements.ask()
    await finish(statements)
    return (await statements.differences({ waiting: true })).map(({ theirs }) => theirs)
  }
  await statements.loop.runOnce()
  expect(await compare()).toEqual([])
  Object.assign(paidIn, { pending: 50n })
  expect(await compare()).toEqual([])
  balance += 50n
  expect(await compare()).toEqual([])
  Object.assign(paidIn, { arrived: 350n, pending: 0n })
  expect(await compare()).toEqual([])
  balance += 7n
  expect(await compare()).toEqual([-7n])
})

test('pages that move while they are read show a charge twice, and it counts once', async () => {
  const { market, charges } = bazaar(PAGE * 3)
  const { readStatement } = market
  market.readStatement = async (page) => {
    const answer = await readStatement(page)
    if (market.asked === 1) charges.unshift({ ...charges[0]!, entryId: 'e-new', orderId: 'o-new' })
    return answer
  }
  const { statements } = worker(market)
  await ask(statements)
  await finish(statements)
  expect(await rows()).toHaveLength(PAGE * 3)
})

test.each(['statement of bazaar', 'compare bazaar'])(
  'a worker that dies or hangs at "%s" leaves nothing doubled',
  async (step) => {
    const { market, charges } = bazaar(PAGE * 2)
    const dead = worker(market, step)
    await ask(dead.statements)
    const round = dead.statements.loop.runOnce()
    await until('it hangs', () => dead.isStopped())
    const second = worker(market)
    // Leased: nobody else is at it until the lease is over.
    expect(await second.statements.loop.runOnce()).toBe(0)
    expect(await differences()).toEqual([])
    await database.sql(`update books.statement_source set leased_until = clock_timestamp()`)
    await finish(second.statements)
    const expected = charges.map(({ orderId }) => ({ order_id: orderId })).toSorted()
    const sorted = async () => (await differences()).map((one) => one.order_id).toSorted()
    expect(await sorted()).toEqual(expected.map((one) => one.order_id).toSorted())
    const [days, sources] = [await database.sql('select * from books.statement_day'), 'provider']
    // It was suspended only: it has lost its lease, and writes nothing.
    dead.letGo()
    await round
    expect(await sorted()).toHaveLength(charges.length)
    expect(await rows()).toHaveLength(charges.length)
    expect(await database.sql('select * from books.statement_day')).toEqual(days)
    expect(await database.sql(`select ${sources} from books.statement_source`)).toHaveLength(1)
  },
)

test('a marketplace without list and balance is shown as one that cannot be compared', async () => {
  const { statements } = worker({ name: 'souk' })
  await statements.loop.runOnce()
  expect(await statements.ask()).toEqual([])
  await database.sql(`update books.statement_source set due_at = now()`)
  await finish(statements)
  expect(await statements.sources()).toMatchObject([
    { provider: 'souk', way: 'none', comparedAt: null },
  ])
  expect((await statements.pulse()).unread).toBe(0n)
})

test('one that was not compared for thirty hours is counted, and a difference that waits', async () => {
  const { statements } = worker(bazaar(1).market)
  await ask(statements)
  await finish(statements)
  expect(await statements.pulse()).toMatchObject({ open: 1n, claimed: 0n, unread: 0n })
  await database.sql(
    `update books.statement_source set compared_at = compared_at - interval '30 hours 1 minute'`,
  )
  expect(await statements.pulse()).toMatchObject({ unread: 1n })
})

test('the next comparison is at two in the morning, UTC', () => {
  const at = (text: string) => nextNight(new Date(text)).toISOString()
  expect(at('2026-11-18T01:59:59Z')).toBe('2026-11-18T02:00:00.000Z')
  expect(at('2026-11-18T02:00:00Z')).toBe('2026-11-19T02:00:00.000Z')
  expect(at('2026-11-30T23:00:00Z')).toBe('2026-12-01T02:00:00.000Z')
  expect(daysBefore(new Date('2026-12-01T02:00:00Z'), 2).toISOString()).toBe(
    '2026-11-29T00:00:00.000Z',
  )
})

test.each([
  ['never_asked', { attemptId: null, charged: 5n }],
  ['charged_twice', { charged: 10n, charges: 2n, entries: 2n, ours: 5n }],
  ['refunded', { charged: 5n, refunded: 5n, charges: 1n, entries: 2n, ours: 5n }],
  ['refunded', { charged: 0n, entries: 1n, ours: 5n }],
  ['not_charged', { ours: 5n }],
  ['other_amount', { charged: 6n, charges: 1n, entries: 1n, ours: 5n }],
  // Charged twice and one of them given back is right, and charged for what we did not book is another amount.
  ['other_amount', { charged: 5n, charges: 1n, entries: 1n, ours: 0n }],
])('%s', (kind, sides) => {
  const none = { attemptId: 'a', charged: 0n, refunded: 0n, entries: 0n, charges: 0n, ours: 0n }
  expect(kindOf({ ...none, ...sides })).toBe(kind)
})
