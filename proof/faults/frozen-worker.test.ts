// Proves: orders, ledger, db, events.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sun } from '../../service/kernel/index.ts'
import { hold, holdAccount } from '../testing/holdAccount.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { stretched } from '../testing/stretched.ts'

// A worker that freezes inside a transaction keeps its locks until the server ends its session.

let market: Market
beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.close())

const expectBought = async (account: Awaited<ReturnType<Market['fundedAccount']>>) =>
  expect((await market.buy(account)).status).toBe(200)

test('a client whose account is held gets 503, and its key is free; the others buy meanwhile', async () => {
  const [held, free] = [await market.fundedAccount('100'), await market.fundedAccount('1000')]
  await holdAccount(market.database, held.account_id, async (inFlight) => {
    const waiting = [1, 2, 3].map((n) => market.buy(held, { key: `key-${n}` }))
    await inFlight()
    await expectBought(free)
    await Promise.all([1, 2, 3, 4].map(() => expectBought(free)))
    for (const { status, body } of await Promise.all(waiting)) {
      const message = expect.stringMatching(/Nothing was charged/)
      expect([status, body]).toEqual([503, { detail: { error: 'service_unavailable', message } }])
    }
  })
  expect(await market.balanceSun(held)).toBe(100_000_000n)
  expect((await market.get(held, '/orders')).body.total).toBe(0)
  const again = await market.buy(held, { key: 'key-1' })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null])
})

test('a checkout of a client whose account is held is refused, and opens when it is free', async () => {
  const held = await market.fundedAccount('100')
  const buyer = {
    account: held.account_id,
    trace: 't',
    source: 'checkout',
    key: undefined,
  } as const
  const wish = {
    ...{ receiver: market.receivers[1]!, amount: 65_000n, resourceType: 'ENERGY', duration: '1h' },
    maxPrice: undefined,
  }
  const open = () => market.rooms.orders.openCheckout(buyer, wish)
  await holdAccount(market.database, held.account_id, async () => {
    expect(await open()).toMatchObject({ refused: 'service_unavailable' })
  })
  expect(await open()).toMatchObject({ order: { status: 'AWAITING_PAYMENT' } })
})

/** Rows that a purchase refers to. No statement of ours locks them against that. */
const PARENTS = ['ledger.kind', 'ledger.own_account']

test(
  'a purchase waits for no row except those of its own account, whatever is held',
  async () => {
    const free = await market.fundedAccount('100')
    await expectBought(free)
    const tables = await market.database.sql<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')
          and (schemaname, tablename) <> ('ledger', 'account') order by 1`,
    )
    expect(tables.length).toBeGreaterThan(60)
    const locks = tables.map(({ name }) => {
      const strength = PARENTS.includes(name) ? 'no key update' : 'update'
      return `perform from ${name} for ${strength};`
    })
    const everything = `do $$ begin ${locks.join(' ')} end $$`
    await hold(market.database, { text: everything, values: [] }, async () => {
      await expectBought(free)
      await Promise.all([1, 2, 3, 4].map(() => expectBought(free)))
    })
  },
  stretched(60_000),
)

test('a partition that waits for the table of events gives up; purchases do not queue behind it', async () => {
  const free = await market.fundedAccount('100')
  const text = 'lock table events.event in row exclusive mode'
  await hold(market.database, { text, values: [] }, async () => {
    const far = new Date('2040-01-01Z')
    await Promise.all([market.rooms.events.prepare(far), expectBought(free)])
    await expectBought(free)
  })
})

test('a client whose account is held does not take all connections, whatever it sends', async () => {
  const [held, free] = [await market.fundedAccount('100'), await market.fundedAccount('100')]
  const { ledger } = market.rooms
  let waiting: Promise<unknown> | undefined
  await holdAccount(market.database, held.account_id, async (inFlight) => {
    const many = Array.from({ length: 30 }, (_, n) =>
      ledger.setLowThreshold(held.account_id, sun(BigInt(n))),
    )
    waiting = Promise.allSettled(many)
    await inFlight()
    await expectBought(free)
    const connections = await market.database.sql(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like '%set_low_threshold%'`,
    )
    expect(connections.length).toBeLessThanOrEqual(2)
  })
  await waiting
})
