// Proves: orders, identity, operator, ledger.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { openOperator } from '../testing/operator.ts'
import { until } from '../testing/until.ts'
import { accountOf, openVisitor, PASSWORD, type Visitor } from '../testing/visitor.ts'

// A client brings another: nothing until the operator sets a commission, then a part of each order that is delivered.

const PRICE = 1_950_000n
let market: Market
let ann: Visitor & { email: string }
beforeAll(async () => {
  market = await openMarket()
  await market.settings({ schedule: flatSchedule(30) })
  ann = await openOperator(market, 'ann@example.com')
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await market.close()
})

const why = 'a test of commissions'
const setCommission = async (basis_points: number) => {
  const set = await ann.call('POST', '/referral', { basis_points, why })
  expect([set.status, set.body]).toEqual([200, { basis_points }])
  await market.rooms.orders.loops.find(({ name }) => name === 'orders.payCommissions')!.runOnce()
}
const codeOf = (account: TestAccount) => market.rooms.accounts.referralCodeOf(account.account_id)

let people = 0
/** A client who signed up with this code, with 50 TRX. */
async function broughtBy(referralCode: string): Promise<TestAccount> {
  const login = { email: `brought${++people}@example.com`, password: PASSWORD }
  await market.workspace!.sessions.signUp({}, { ...login, name: '', referralCode })
  const visitor = openVisitor(market.url)
  await visitor.call('POST', '/session/sign-in', login)
  const account = await accountOf(market, visitor)
  market.devnet.chain.mine()
  await until('the deposit', async () => (await market.balanceSun(account)) > 0n)
  return account
}

async function ended(account: TestAccount, status: string, body: Record<string, unknown> = {}) {
  const { order_id } = (await market.buy(account, { body })).body
  await until(`the order is ${status}`, async () => {
    await market.mineWhenRead()
    return (await market.get(account, `/order/${order_id}`)).body.status === status
  })
  return order_id as string
}

type Entry = { reference_id: string; amount: bigint; credit: string; debit: string }
const commissionsOf = (account: TestAccount) =>
  market.database.sql<Entry>(
    `select reference_id, amount_sun as amount, debit, credit from ledger.movement
      where client_id = $1 and kind = 'adjustment' order by version`,
    [account.account_id],
  )
/** Nothing is left to pay. */
const paid = () =>
  until('every commission is paid', async () => {
    const left = await market.database.sql('select from orders.commission where paid_at is null')
    return left.length === 0
  })

test('nothing is paid before the operator sets a commission', async () => {
  const bringer = await market.fundedAccount('10')
  const brought = await broughtBy(await codeOf(bringer))
  await ended(brought, 'COMPLETED')
  await setCommission(100)
  await paid()
  expect(await commissionsOf(bringer)).toEqual([])
})

test('a delivered order earns its part once, rounded down, and says nothing of whose it was', async () => {
  await setCommission(333)
  const bringer = await market.fundedAccount('10')
  const brought = await broughtBy(await codeOf(bringer))
  const order = await ended(brought, 'COMPLETED')
  await until('the commission', async () => (await commissionsOf(bringer)).length > 0)
  // 1,950,000 × 3.33 % = 64,935.
  expect(await commissionsOf(bringer)).toMatchObject([
    { reference_id: `referral:${order}`, debit: 'cost:referrals', credit: 'client' },
  ])
  expect(await market.balanceSun(bringer)).toBe(10_000_000n + 64_935n)
  expect(await market.balanceSun(brought)).toBe(50_000_000n - PRICE)
  const { transactions } = (await market.get(bringer, '/transactions')).body
  expect(transactions[0]).toMatchObject({ entry_type: 'adjustment', amount_trx: '0.064935' })
  expect(JSON.stringify(transactions)).not.toContain(brought.account_id)
  const settings = await market.database.sql<{ amount: string }>(
    'select sum(amount_sun) as amount from orders.commission where account_id = $1',
    [bringer.account_id],
  )
  expect(settings).toMatchObject([{ amount: '64935' }])
})

test('an order that fails earns nothing', async () => {
  await setCommission(1_000)
  const bringer = await market.fundedAccount('10')
  const brought = await broughtBy(await codeOf(bringer))
  await market.provider({ behaviour: 'fail' })
  await ended(brought, 'FAILED')
  await market.provider({ behaviour: 'ok' })
  await paid()
  expect(await commissionsOf(bringer)).toEqual([])
  expect(await market.balanceSun(brought)).toBe(50_000_000n)
})

test('orders of those whom nobody brought, with unknown codes, or their own earn nothing', async () => {
  await setCommission(1_000)
  const alone = await market.fundedAccount('50')
  await ended(alone, 'COMPLETED')
  const wrong = await broughtBy('no such code')
  await ended(wrong, 'COMPLETED')
  const own = await broughtBy('')
  await market.database.sql(
    `update identity.sign_up set referral_code = (select referral_code from identity.account where id = $1)
      where account_id = $1`,
    [own.account_id],
  )
  await ended(own, 'COMPLETED')
  await paid()
  for (const account of [alone, wrong, own]) expect(await commissionsOf(account)).toEqual([])
})

test('paid twice at once, it is booked once; a part below one SUN is nothing', async () => {
  await setCommission(1)
  const bringer = await market.fundedAccount('10')
  const brought = await broughtBy(await codeOf(bringer))
  await ended(brought, 'COMPLETED')
  await paid()
  const [first] = await commissionsOf(bringer)
  expect(first).toMatchObject({ amount: expect.anything() })
  // A worker that died before it saw its commit looks again.
  await market.database.sql('update orders.commission set paid_at = null where account_id = $1', [
    bringer.account_id,
  ])
  const loop = market.rooms.orders.loops.find(({ name }) => name === 'orders.payCommissions')!
  await Promise.allSettled([loop.runOnce(), loop.runOnce()])
  expect(await commissionsOf(bringer)).toHaveLength(1)
  await market.database.sql(
    'update orders.commission set paid_at = created_at where paid_at is null',
  )
})

test('commissions are a cost in the books', async () => {
  const [sum] = await market.database.sql<{ sun: string }>(
    `select coalesce(sum(amount_sun), 0) as sun from ledger.movement where debit = 'cost:referrals'`,
  )
  expect(BigInt(sum!.sun)).toBeGreaterThan(0n)
  const all = { from: '2026-01-01', to: '2100-01-01' }
  const { total, check } = await market.rooms.books.report(all, [])
  expect([total.goodwill, check.different]).toEqual([BigInt(sum!.sun), []])
})

test('a commission is from 0 to 50 %', async () => {
  for (const basis_points of [-1, 5_001, 1.5]) {
    expect((await ann.call('POST', '/referral', { basis_points, why })).status).toBe(422)
  }
})
