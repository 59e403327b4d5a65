import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../../proof/testing/app.ts'
import { brokenInvariants } from '../../proof/testing/invariants.ts'
import { type Market, openMarket } from '../../proof/testing/market.ts'
import { until } from '../../proof/testing/until.ts'
import { openWorkspace, type Workspace } from '../../proof/testing/workspace.ts'
import { advanceBusinessTime } from '../db/index.ts'
import { sun, systemClock } from '../kernel/index.ts'

const MINUTE_MS = 60_000
let market: Market
let workspace: Workspace
beforeAll(async () => {
  market = await openMarket()
  workspace = await openWorkspace(market)
})
afterAll(async () => {
  expect(await brokenInvariants(market.database)).toEqual([])
  await workspace.close()
  await market.close()
})

async function openCheckout(account: TestAccount, body: Record<string, unknown> = {}) {
  const want = { receiver_address: market.receivers[1], resource_amount: 65_000, ...body }
  const answer = await workspace.call(account, 'POST', '/checkouts', want)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body
}

async function send(account: TestAccount, amountSun: number | bigint): Promise<string> {
  const body = { from: market.receivers[2], to: account.deposit_address, amount_sun: amountSun }
  const text = JSON.stringify(body, (_key, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  )
  return (await market.call('POST', '/sandbox/chain/transfer', { body: text })).body.txid
}

/** Sends, mines, and waits until the deposit is written. */
async function pay(account: TestAccount, amountSun: number): Promise<string> {
  const txid = await send(account, amountSun)
  market.devnet.chain.mine()
  await until('the deposit', async () => (await depositOf(txid)) !== undefined)
  return txid
}

const depositOf = async (txid: string) =>
  (
    await market.database.sql<{ status: string }>(
      'select status from deposits.deposit where txid = $1',
      [txid],
    )
  )[0]
const orderOf = async (account: TestAccount, id: string) =>
  (await market.get(account, `/order/${id}`)).body
const movementsOf = (reference: string) =>
  market.database.sql<{ kind: string; tx: string; amount: number }>(
    `select kind, xmin::text as tx, amount_sun::int as amount from ledger.movement where reference_id = $1 order by kind`,
    [reference],
  )
const eventsOf = (id: string) =>
  market.database.sql<{ data: { status: string; error_message: string } }>(
    `select data from events.event where type = 'order.status_changed' and subject = $1`,
    [id],
  )

test('a checkout is an order that waits: address, an amount of its own, half an hour, no charge', async () => {
  const client = await market.newAccount()
  const { total_price_sun } = (await market.get(client, '/estimate?resource_amount=65000')).body
  const made = await openCheckout(client)
  expect(made).toMatchObject({
    status: 'AWAITING_PAYMENT',
    source: 'checkout',
    resource_type: 'ENERGY',
    resource_amount: 65_000,
    duration: '1h',
    receiver_address: market.receivers[1],
    buyer_address: '',
    total_price_sun,
    delegation_txids: [],
    error_message: null,
    completed_at: null,
    deposit_address: client.deposit_address,
    amount_trx: String(made.amount_sun / 1e6),
  })
  expect(made.amount_sun - total_price_sun).toBeGreaterThanOrEqual(1)
  expect(made.amount_sun - total_price_sun).toBeLessThanOrEqual(999)
  expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(30 * MINUTE_MS)
  expect((await workspace.call(client, 'GET', `/checkouts/${made.id}`)).body).toEqual(made)
  const { deposit_address, amount_sun, amount_trx, expires_at, ...order } = made
  expect(await orderOf(client, made.id)).toEqual(order)
  expect((await market.get(client, '/orders')).body).toMatchObject({ orders: [order], total: 1 })
  expect((await market.get(client, '/transactions')).body.transactions).toEqual([])
})

test('the exact amount is a deposit and, in the same transaction, the purchase', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client)
  // The order's two minutes count from the payment, not from the checkout.
  await market.advance(20 * 60)
  const txid = await pay(client, made.amount_sun)
  expect(await depositOf(txid)).toEqual({ status: 'confirmed' })
  const [deposit] = await movementsOf(txid)
  const [purchase, ...rest] = await movementsOf(made.id)
  expect([deposit?.kind, deposit?.amount]).toEqual(['deposit', made.amount_sun])
  expect([purchase?.kind, purchase?.amount, rest]).toEqual(['purchase', made.total_price_sun, []])
  expect(purchase?.tx).toBe(deposit?.tx)
  expect(await market.balanceSun(client)).toBe(BigInt(made.amount_sun - made.total_price_sun))
  const done = await until('delivered', async () => {
    market.devnet.chain.mine()
    const order = await orderOf(client, made.id)
    return ['COMPLETED', 'FAILED'].includes(order.status) && order
  })
  expect(done).toMatchObject({
    status: 'COMPLETED',
    source: 'checkout',
    created_at: made.created_at,
  })
  expect((await eventsOf(made.id)).map(({ data }) => data.status)).toEqual(['COMPLETED'])
  // Nor does the time to delivery: the twenty minutes before are the client's own.
  const since = new Date(Date.parse(made.created_at) - MINUTE_MS)
  const days = await market.rooms.orders.outcomesByDay(client.account_id, since)
  expect(days.map(({ seconds }) => seconds !== null && seconds < 20 * 60)).toEqual([true])
})

test('any other amount is only a deposit', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client)
  for (const amount of [made.amount_sun + 1, made.amount_sun - 1, made.total_price_sun]) {
    expect(await depositOf(await pay(client, amount))).toEqual({ status: 'confirmed' })
  }
  expect((await orderOf(client, made.id)).status).toBe('AWAITING_PAYMENT')
  expect(await movementsOf(made.id)).toEqual([])
})

test("the exact amount on somebody else's address is only a deposit", async () => {
  // With enough balance to be charged for another account's payment, if they were mixed up.
  const [client, other] = [await market.fundedAccount('100'), await market.newAccount()]
  const made = await openCheckout(client)
  await pay(other, made.amount_sun)
  expect((await orderOf(client, made.id)).status).toBe('AWAITING_PAYMENT')
  expect(await market.balanceSun(client)).toBe(100_000_000n)
  expect(await market.balanceSun(other)).toBe(BigInt(made.amount_sun))
})

test('open checkouts of one account differ in their amounts, and the amount says which is paid', async () => {
  const client = await market.newAccount()
  const made = await Promise.all(Array.from({ length: 30 }, () => openCheckout(client)))
  expect(new Set(made.map(({ amount_sun }) => amount_sun)).size).toBe(30)
  await pay(client, made[7].amount_sun)
  const orders = (await market.get(client, '/orders?page_size=100')).body.orders
  const paid = orders.filter(({ status }: { status: string }) => status !== 'AWAITING_PAYMENT')
  expect(paid.map(({ id }: { id: string }) => id)).toEqual([made[7].id])
  expect(orders).toHaveLength(30)
})

test('two equal transfers in one block: one purchase, the other stays on the balance', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client)
  await send(client, made.amount_sun)
  const body = {
    from: market.receivers[3],
    to: client.deposit_address,
    amount_sun: made.amount_sun,
  }
  await market.call('POST', '/sandbox/chain/transfer', { body })
  market.devnet.chain.mine()
  await until(
    'both',
    async () => (await market.get(client, '/deposits')).body.deposits.length === 2,
  )
  expect((await movementsOf(made.id)).map(({ kind }) => kind)).toContain('purchase')
  expect(await market.balanceSun(client)).toBe(BigInt(2 * made.amount_sun - made.total_price_sun))
})

test('while selling is off the exact amount is only a deposit', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client)
  await market.settings({ purchases_enabled: false })
  await pay(client, made.amount_sun)
  await market.settings({ purchases_enabled: true })
  expect((await orderOf(client, made.id)).status).toBe('AWAITING_PAYMENT')
  expect(await market.balanceSun(client)).toBe(BigInt(made.amount_sun))
})

test('a deposit that is still pending pays when its block is final', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client, { resource_amount: 5_000_000 })
  await pay(client, 9_900_000_000)
  const txid = await pay(client, made.amount_sun)
  expect(await depositOf(txid)).toEqual({ status: 'pending' })
  expect((await orderOf(client, made.id)).status).toBe('AWAITING_PAYMENT')
  expect(await movementsOf(made.id)).toEqual([])
  await until('final', async () => {
    market.devnet.chain.mine()
    return (await depositOf(txid))?.status === 'confirmed'
  })
  const [deposit] = await movementsOf(txid)
  const [purchase] = await movementsOf(made.id)
  expect([purchase?.kind, purchase?.amount]).toEqual(['purchase', made.total_price_sun])
  expect(purchase?.tx).toBe(deposit?.tx)
})

test('selling is off when the pending deposit is final: only a deposit, and the order ends unpaid', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client, { resource_amount: 5_000_000 })
  await pay(client, 9_900_000_000)
  const txid = await pay(client, made.amount_sun)
  await market.settings({ purchases_enabled: false })
  await market.advance(31 * 60)
  await until('final', async () => (await depositOf(txid))?.status === 'confirmed')
  await until('unpaid', async () => {
    market.devnet.chain.mine()
    return (await orderOf(client, made.id)).status === 'FAILED'
  })
  await market.settings({ purchases_enabled: true })
  expect(await movementsOf(made.id)).toEqual([])
})

test('two equal transfers wait: the one that stays on the chain pays, the order is bought once', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client, { resource_amount: 5_000_000 })
  await pay(client, 9_900_000_000)
  const lost = await pay(client, made.amount_sun)
  const body = { from: market.receivers[3], to: client.deposit_address }
  const second = { ...body, amount_sun: made.amount_sun }
  const { txid } = (await market.call('POST', '/sandbox/chain/transfer', { body: second })).body
  market.devnet.chain.reorg(1, new Set([lost]))
  await until('the second is pending', async () => (await depositOf(txid))?.status === 'pending')
  await market.advance(120)
  await until('the first is gone', async () => (await depositOf(lost))?.status === 'reverted')
  await until('bought', async () => (await movementsOf(made.id)).length > 0)
  const bought = (await movementsOf(made.id)).filter(({ kind }) => kind === 'purchase')
  expect(bought).toHaveLength(1)
})

test('a balance that a reversal made negative swallows the amount: only a deposit', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client)
  const { db, rooms } = market
  await db.transaction(async (tx) => {
    await rooms.ledger.post(tx, [
      {
        client: client.account_id,
        kind: 'deposit_reversal',
        reference: `test ${client.account_id}`,
        amount: sun(-5_000n),
        counter: 'asset:deposit_addresses',
        description: 'test',
        trace: 'test',
      },
    ])
  })
  await pay(client, made.amount_sun)
  expect((await orderOf(client, made.id)).status).toBe('AWAITING_PAYMENT')
  expect(await market.balanceSun(client)).toBe(BigInt(made.amount_sun) - 5_000n)
})

test('unpaid: FAILED, not paid in time, no ledger entry, one event; then the amount is a deposit', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client)
  await market.advance(30 * 60 - 20)
  expect((await orderOf(client, made.id)).status).toBe('AWAITING_PAYMENT')
  await market.advance(40)
  const failed = await until('expired', async () => {
    market.devnet.chain.mine()
    const order = await orderOf(client, made.id)
    return order.status === 'FAILED' && order
  })
  expect(failed.error_message).toContain('not paid in time')
  expect([failed.completed_at, failed.delegation_txids]).toEqual([null, []])
  expect(await movementsOf(made.id)).toEqual([])
  expect((await eventsOf(made.id)).map(({ data }) => data)).toEqual([
    {
      order_id: made.id,
      status: 'FAILED',
      resource_type: 'ENERGY',
      resource_amount: '65000',
      receiver_address: market.receivers[1],
      total_price_sun: made.total_price_sun,
      error_message: failed.error_message,
    },
  ])
  await pay(client, made.amount_sun)
  expect((await orderOf(client, made.id)).status).toBe('FAILED')
  expect(await market.balanceSun(client)).toBe(BigInt(made.amount_sun))
})

test('mined in time but read late still counts; mined late does not, before the order has failed', async () => {
  const [punctual, tardy] = [await market.newAccount(), await market.newAccount()]
  const inTime = await openCheckout(punctual)
  const tooLate = await openCheckout(tardy)
  const { scanLoop } = market.rooms.chain
  await scanLoop.stop()
  await send(punctual, inTime.amount_sun)
  market.devnet.chain.mine()
  // Business time is past the end while the scanner is stopped: the order must not be declared
  // unpaid.
  await advanceBusinessTime(market.db, systemClock(), 31 * MINUTE_MS)
  await until('the service has followed', async () => {
    const { body } = await market.call('GET', '/sandbox/clock')
    return body.now > inTime.expires_at
  })
  market.devnet.chain.clock.advance(31 * MINUTE_MS)
  market.devnet.chain.mine()
  await send(tardy, tooLate.amount_sun)
  market.devnet.chain.mine()
  const expire = market.rooms.orders.loops.find(({ name }) => name === 'orders.expireCheckouts')!
  expire.wake()
  scanLoop.start()
  await until('paid', async () => (await movementsOf(inTime.id)).length > 0)
  await until('the late deposit', async () => (await market.balanceSun(tardy)) > 0n)
  expect(await market.balanceSun(tardy)).toBe(BigInt(tooLate.amount_sun))
  expect(await movementsOf(tooLate.id)).toEqual([])
})

test('a payment whose block is orphaned and mined again buys once', async () => {
  const client = await market.newAccount()
  const made = await openCheckout(client)
  const txid = await pay(client, made.amount_sun)
  market.devnet.chain.reorg(1, new Set())
  market.devnet.chain.mine()
  await until('credited again', async () => {
    market.devnet.chain.mine()
    const [deposit] = (await market.get(client, '/deposits')).body.deposits
    return deposit.verified_at !== null
  })
  expect((await movementsOf(txid)).map(({ kind }) => kind)).toEqual(['deposit'])
  const kinds = (await movementsOf(made.id)).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'purchase')).toHaveLength(1)
})

test('opened and bought at once, the orders of an account are still numbered without a gap', async () => {
  const client = await market.fundedAccount('100')
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => (at % 2 ? market.buy(client) : openCheckout(client))),
  )
  const rows = await market.database.sql<{ number: number }>(
    'select number::int as number from orders.purchase_order where account_id = $1 order by number',
    [client.account_id],
  )
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
})

test('at most 50 wait at once', async () => {
  const client = await market.newAccount()
  for (let at = 0; at < 50; at++) await openCheckout(client)
  const want = { receiver_address: market.receivers[1], resource_amount: 65_000 }
  const { status, body } = await workspace.call(client, 'POST', '/checkouts', want)
  expect([status, body.detail.error]).toEqual([400, 'validation_error'])
  expect(body.detail.message).toContain('50 unpaid')
})

test('what a purchase is refused for, a checkout is refused for', async () => {
  const client = await market.newAccount()
  const refusal = async (change: Record<string, unknown>) => {
    const want = { receiver_address: market.receivers[1], resource_amount: 65_000, ...change }
    const { status, body } = await workspace.call(client, 'POST', '/checkouts', want)
    return [status, body.detail.error ?? body.detail.code]
  }
  expect(await refusal({ resource_type: 'BANDWIDTH' })).toEqual([400, 'unsupported_resource'])
  expect(await refusal({ duration: '2h' })).toEqual([400, 'invalid_duration'])
  expect(await refusal({ receiver_address: 'T123' })).toEqual([400, 'validation_error'])
  expect(await refusal({ resource_amount: 1 })).toEqual([400, 'order_amount_below_minimum'])
  expect(await refusal({ resource_amount: 9_000_000 })).toEqual([400, 'order_amount_above_maximum'])
  await market.settings({ purchases_enabled: false })
  expect(await refusal({})).toEqual([503, 'service_unavailable'])
  await market.settings({ purchases_enabled: true })
  await market.provider({ behaviour: 'down' })
  expect(await refusal({})).toEqual([503, 'service_unavailable'])
  await market.provider({ behaviour: 'ok' })
  expect((await market.get(client, '/orders')).body.total).toBe(0)
})

test("somebody else's checkout, an ordinary order and nonsense look like no checkout", async () => {
  const [client, other] = [await market.fundedAccount('10'), await market.newAccount()]
  const foreign = await openCheckout(other)
  const ordinary = (await market.buy(client)).body.order_id
  const absent = '018f0000-0000-7000-8000-000000000001'
  for (const id of [foreign.id, ordinary, absent, 'nonsense', '%00']) {
    const { status, text } = await workspace.call(client, 'GET', `/checkouts/${id}`)
    expect([status, text]).toEqual([404, '{"detail":"Order not found"}'])
  }
})
