// Proves: ledger, orders, account.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openDb } from '../../service/db/index.ts'
import { silentLog, sun, systemRuntime } from '../../service/kernel/index.ts'
import { createLedger } from '../../service/ledger/index.ts'
import { openTestApp, type TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

// A balance is read from the database for each request. Each test reads it as soon as a change is
// visible to anybody, whichever process made it.
let market: Market
let account: TestAccount
beforeAll(async () => {
  market = await openMarket()
})
afterAll(() => market.close())
beforeEach(async () => {
  account = await market.fundedAccount('1000')
})

async function balanceSun(who = account): Promise<number> {
  const { body } = await market.get(who, '/account')
  return Math.round(Number(body.balance_trx) * 1_000_000)
}

test('what a process refunds, sells and credits shows in its next answer', async () => {
  const before = await balanceSun()
  await market.provider({ behaviour: 'fail' })
  const { body } = await market.buy(account)
  expect(await balanceSun()).toBe(body.balance_after_sun)
  await until('it has failed', async () => {
    await market.mineWhenRead()
    const order = await market.get(account, `/order/${body.order_id}`)
    return order.body.status === 'FAILED'
  })
  expect(await balanceSun()).toBe(before)

  await market.provider({ behaviour: 'ok' })
  for (let round = 0; round < 20; round += 1) {
    const bought = await market.buy(account)
    expect(await balanceSun()).toBe(bought.body.balance_after_sun)
  }

  const payer = await market.newAccount({ deposit_trx: '5' })
  expect(await balanceSun(payer)).toBe(0)
  market.devnet.chain.mine()
  await until('the deposit is credited', async () => {
    expect([0, 5_000_000]).toContain(await balanceSun(payer))
    const { body: list } = await market.get(payer, '/deposits')
    return list.deposits.some(({ credited_at }: { credited_at: string | null }) => credited_at)
  })
  expect(await balanceSun(payer)).toBe(5_000_000)
})

test('balances count as requests: after a thousand there is no more', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 1_050 }, async () => (await market.get(account, '/account')).status),
  )
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(50)
})

test('the next answer has what a command has credited', async () => {
  const before = await balanceSun()
  const runtime = systemRuntime()
  const urls = [market.database.url('ergon_app')]
  const db = await openDb({ urls, connections: 2, runtime, log: silentLog, name: 'ergon-command' })
  const { post } = createLedger({ db, runtime })
  const posting = {
    client: account.account_id,
    kind: 'adjustment',
    reference: 'by hand',
    amount: sun(7n),
    counter: 'cost:goodwill',
    description: 'x',
    trace: 'x',
  } as const
  await db.transaction((tx) => post(tx, [posting]))
  expect(await balanceSun()).toBe(before + 7)
  await db.close()
})

test('the next answer has what another process has sold', async () => {
  const { database, devnet, receivers } = market
  const before = await balanceSun()
  const other = await openTestApp({ database, devnet, role: 'api' })
  onTestFinished(other.close)
  await until('it has an offer', async () => {
    await other.rooms.providers.refresh()
    return other.rooms.providers.offers().length > 0
  })
  expect(await balanceSun()).toBe(before)
  for (let round = 0; round < 5; round += 1) {
    const { body } = await other.call('POST', '/v1/buy', {
      key: account.api_key,
      body: { receiver_address: receivers[1], resource_amount: 65_000 },
    })
    expect(await balanceSun()).toBe(body.balance_after_sun)
  }
})
