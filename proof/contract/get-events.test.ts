// Proves: events, webhooks.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.close())

type Event = { id: string; type: string; data: Record<string, unknown> }
const read = async (account: TestAccount, query: Record<string, string | number> = {}) => {
  const text = Object.entries(query).map(([name, of]) => `${name}=${of}`)
  return market.get(account, `/events?${text.join('&')}`)
}
/** All pages from a place on. An event may be held back while any other transaction runs. */
async function all(account: TestAccount, limit = 100, cursor?: string) {
  const events: Event[] = []
  for (let at = cursor; ; ) {
    const { body } = await read(account, { limit, ...(at !== undefined && { cursor: at }) })
    events.push(...body.events)
    at = body.next_cursor
    if (!body.has_more) return { events, cursor: at! }
  }
}

test('200 the oldest first, each as a delivery has it, and a place to go on from', async () => {
  const account = await market.fundedAccount('100')
  const first = await until('both', async () => {
    const answer = await read(account)
    return answer.body.events.length === 2 && answer
  })
  const [one, other] = first.body.events.map(({ type }: Event) => type)
  expect([one, other].toSorted()).toEqual(['balance.changed', 'balance.credited'])
  expect(first.body).toEqual({
    events: [one, other].map((type) => ({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      audience: 'customer',
      data: expect.objectContaining({ entry_type: 'deposit', amount_sun: 100_000_000 }),
    })),
    has_more: false,
    next_cursor: expect.stringMatching(/^[\w-]{54}$/),
  })
  const nothing = await read(account, { cursor: first.body.next_cursor })
  expect(nothing.body).toEqual({ ...first.body, events: [] })
  await market.buy(account)
  const bought = await until('the purchase', async () => {
    return (await all(account, 100, first.body.next_cursor)).events[0]
  })
  expect(bought).toMatchObject({ type: 'balance.changed', data: { entry_type: 'purchase' } })
})

test('pages of any size hold every event once', async () => {
  const account = await market.fundedAccount('100')
  await Promise.all(Array.from({ length: 20 }, (_, nth) => market.buy(account, { key: `${nth}` })))
  const ids = async (limit: number) => (await all(account, limit)).events.map(({ id }) => id)
  const whole = await until('the purchases', async () => {
    const found = await ids(100)
    return found.length >= 22 && found
  })
  expect(new Set(whole).size).toBe(whole.length)
  for (const limit of [1, 7]) expect((await ids(limit)).slice(0, whole.length)).toEqual(whole)
})

test('an account without events has a place too, and sees what comes', async () => {
  const account = await market.newAccount()
  const { body } = await read(account)
  expect(body).toEqual({ events: [], has_more: false, next_cursor: expect.any(String) })
})

test('422 limit outside 1 to 100; 400 invalid_cursor of a foreign, edited or other cursor', async () => {
  const account = await market.newAccount()
  const stranger = await market.newAccount()
  for (const limit of [0, 101]) expect((await read(account, { limit })).status).toBe(422)
  const { next_cursor } = (await read(stranger)).body
  const own = (await read(account)).body.next_cursor as string
  for (const cursor of [next_cursor, 'x', '', `${own}A`, own.replace(/^./, 'B')]) {
    const { status, body } = await read(account, { cursor })
    expect([status, body.detail.error]).toEqual([400, 'invalid_cursor'])
  }
})

/** Writes an event in a transaction that stays open until it is told to commit. */
async function slowEvent(account: TestAccount, name: string) {
  const client = new pg.Client(market.database.url('ergon_app'))
  await client.connect()
  await client.query('begin')
  await client.query(
    `select events.emit_one(uuidv7(), $1, 'balance.low', $2, now(), 'test', '{}'::json)`,
    [account.account_id, name],
  )
  return async () => {
    await client.query('commit')
    await client.end()
  }
}

test('a transaction that commits late is not passed: the cursor waits for it', async () => {
  const account = await market.newAccount()
  const commit = await slowEvent(account, 'late')
  const later = await slowEvent(account, 'early')
  await later()
  // Another client's cursor waits as well; that costs it seconds, never an event.
  const before = await all(account)
  expect(before.events).toEqual([])
  await commit()
  const after = await until('both', async () => {
    const page = await all(account, 1, before.cursor)
    return page.events.length === 2 && page
  })
  const names = 'select subject from events.event where id = any ($1) order by written_by, id'
  const rows = await market.database.sql<{ subject: string }>(names, [
    after.events.map(({ id }) => id),
  ])
  expect(rows.map(({ subject }) => subject)).toEqual(['late', 'early'])
})

test('while many transactions commit in any order, a reader gets every event once', async () => {
  const account = await market.newAccount()
  const seen: string[] = []
  let cursor: string | undefined
  for (let round = 0; round < 6; round++) {
    const open = await Promise.all(['a', 'b', 'c'].map((name) => slowEvent(account, name)))
    for (const commit of open.toReversed()) {
      await commit()
      const page = await all(account, 2, cursor)
      cursor = page.cursor
      seen.push(...page.events.map(({ id }) => id))
    }
  }
  await until('the last ones', async () => {
    const page = await all(account, 2, cursor)
    cursor = page.cursor
    seen.push(...page.events.map(({ id }) => id))
    return seen.length >= 18
  })
  expect([seen.length, new Set(seen).size]).toEqual([18, 18])
})
