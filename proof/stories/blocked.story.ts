// Proves: ledger, orders, agent, autoenergy, deposits, webhooks, operator.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, TEST_KEY, type TestAccount } from '../testing/app.ts'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { hold, holdAccount } from '../testing/holdAccount.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule } from '../testing/market.ts'
import { openOperator } from '../testing/operator.ts'
import { openReceiver, type Receiver, testNetwork } from '../testing/receiver.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'
import { openVisitor, PASSWORD, signUp, type Visitor } from '../testing/visitor.ts'
import { openWorkspace, type Workspace } from '../testing/workspace.ts'

// A blocked client: what each endpoint, webhook, subscription and pay page of theirs does. It buys nothing, keeps its
// money, reads everything, and goes on where it was when it is unblocked.

const REASON = 'We need a document of you.'
const MESSAGE = expect.stringMatching(
  /^This account is blocked: We need a document of you\. Nothing was charged\./,
)
const BLOCKED = { error: 'account_blocked', message: MESSAGE, reason: REASON }
const COST_65K = 1_950_000

let app: Coverage
let workspace: Workspace
let receiver: Receiver
let ann: Visitor & { email: string }
beforeAll(async () => {
  receiver = await openReceiver()
  app = await openCoverage({ webhooks: { secretsKey: TEST_KEY, network: testNetwork() } })
  await app.settings({ schedule: flatSchedule(30) })
  workspace = await openWorkspace(app)
  ann = await openOperator(app, 'ann@example.com')
})
afterAll(async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
  await workspace.close()
  await app.close()
  await receiver.close()
})

const why = 'a test of blocks'
const call = (client: TestAccount, method: string, path: string, body?: unknown) =>
  app.call(method, `/v1${path}`, { key: client.api_key, ...(body !== undefined && { body }) })
const operate = (client: TestAccount, verb: string, body: Record<string, unknown> = {}) =>
  ann.call('POST', `/accounts/${client.account_id}/${verb}`, { why, ...body })
const block = async (client: TestAccount) => {
  const answer = await operate(client, 'block', { reason: 'We need a document of you' })
  expect([answer.status, answer.body.blocked?.reason]).toEqual([200, REASON])
}
const unblock = async (client: TestAccount) => {
  expect((await operate(client, 'unblock')).body).toMatchObject({ blocked: null })
}
const refused = (answer: Answer) => {
  expect([answer.status, answer.body.detail]).toMatchObject([403, BLOCKED])
}
const wallet = () => app.wallet()
const config = (client: TestAccount, body: Record<string, unknown> = {}) =>
  call(client, 'POST', '/agent/configs', {
    mode: 'generated',
    energy_per_unit: 65_000,
    base_payment_sun: 3_000_000,
    max_units: 1,
    ...body,
  })
const payment = (client: TestAccount, txid: string, status: string) =>
  until(`a payment that is ${status}`, async () => {
    const { body } = await call(client, 'GET', '/agent/payments')
    const found = body.items.find((one: Record<string, string>) => one.tx_hash === txid)
    if (found?.status === status) return found
    await app.mineWhenRead()
    return false
  })
async function pay(to: string, sun: number): Promise<string> {
  const from = toBase58(app.devnet.chain.network.funded[8]!.address)
  const answer = await app.call('POST', '/sandbox/chain/transfer', {
    body: { from, to, amount_sun: sun },
  })
  app.mine()
  return answer.body.txid
}

test('everything that costs money is refused with the reason, and nothing is written', async () => {
  const client = await app.fundedAccount('500')
  const own = wallet()
  const made = (await config(client)).body
  await call(client, 'POST', `/agent/configs/${made.id}/pause`)
  const quote = (await call(client, 'POST', '/quotes', { resource_amount: 65_000 })).body
  await block(client)
  const order = { receiver_address: app.receivers[1], resource_amount: 65_000 }
  refused(await call(client, 'POST', '/buy', order))
  refused(await app.buy(client, { key: 'one' }))
  refused(await call(client, 'POST', '/buy', { ...order, quote_id: quote.id }))
  refused(await call(client, 'POST', '/quotes', { resource_amount: 65_000 }))
  refused(await workspace.call(client, 'POST', '/checkouts', order))
  for (const mode of ['each', 'all']) {
    const purchases = [{ ...order, idempotency_key: `batch ${mode}` }]
    const { body } = await call(client, 'POST', '/buy/batch', { purchases, mode })
    expect(body.results).toMatchObject([{ status: 403, body: { detail: BLOCKED } }])
  }
  refused(await config(client))
  refused(await call(client, 'POST', `/agent/configs/${made.id}/resume`))
  const subscribed = await app.subscribe(client, own)
  refused(subscribed)
  // AutoEnergy says the code in both places.
  expect(subscribed.body).toMatchObject({ error: 'account_blocked', reason: REASON })
  expect(await app.entries(client)).toEqual([])
  expect((await call(client, 'GET', '/orders')).body.total).toBe(0)
  // The contract's refusals come first, as for anybody.
  const wrong = await call(client, 'POST', '/buy', { ...order, duration: '2h' })
  expect([wrong.status, wrong.body.detail]).toEqual([400, { error: 'invalid_duration' }])
  await unblock(client)
  // A refused purchase left its key free, and the quote is as good as before.
  expect((await app.buy(client, { key: 'one' })).status).toBe(200)
  expect((await call(client, 'POST', '/buy', { ...order, quote_id: quote.id })).status).toBe(200)
})

test('everything is read as before, by key and in the workspace, with the reason', async () => {
  const client = await app.fundedAccount('100')
  await app.buy(client)
  const reads = [
    ...['/estimate?resource_amount=65000', '/orders', '/transactions', '/deposits', '/webhooks'],
    ...['/autoenergy/subscriptions', '/agent/summary', '/agent/quote?energy=65000'],
    ...['/agent/configs', '/agent/payments', '/events'],
  ]
  const before = await Promise.all(reads.map((path) => call(client, 'GET', path)))
  expect((await app.get(client, '/account')).body.blocked).toBeNull()
  await block(client)
  const after = await Promise.all(reads.map((path) => call(client, 'GET', path)))
  expect(after.map(({ status }) => status)).toEqual(before.map(() => 200))
  const { body } = await app.get(client, '/account')
  expect(body).toMatchObject({ balance_trx: '98.05', spendable_trx: '98.05' })
  expect(body.blocked).toEqual({ reason: REASON, since: expect.any(String) })
  expect((await app.get(client, '/agent/summary')).body.can_activate).toBe(false)
  // Its webhooks, keys and settings are its own.
  const hook = { name: 'still mine', url: receiver.url('/mine') }
  expect((await call(client, 'POST', '/webhooks', hook)).status).toBe(201)
})

test('a person signs in, and the workspace says why', async () => {
  const person = await signUp(app.url)
  const { account_id } = (await person.call('GET', '/session')).body
  const body = { reason: REASON, why }
  expect((await ann.call('POST', `/accounts/${account_id}/block`, body)).status).toBe(200)
  const again = openVisitor(app.url)
  const login = { email: person.email, password: PASSWORD }
  expect((await again.call('POST', '/session/sign-in', login)).status).toBe(200)
  const account = await again.call('GET', '/account')
  expect(account.body.blocked).toMatchObject({ reason: REASON })
})

test('deposits are credited, a checkout that they would pay stays unpaid, and webhooks tell', async () => {
  const client = await app.fundedAccount('100')
  const url = receiver.url('/blocked')
  const events = { 'balance.changed': true }
  await call(client, 'POST', '/webhooks', { name: 'all', url, events })
  const order = { receiver_address: app.receivers[1], resource_amount: 65_000 }
  const opened = await workspace.call(client, 'POST', '/checkouts', order)
  const { deposit_address } = (await app.get(client, '/account')).body
  await block(client)
  const before = await app.balanceSun(client)
  const { amount_sun, id } = opened.body
  const txid = await pay(deposit_address, amount_sun)
  await until('the deposit', async () => (await app.balanceSun(client)) > before)
  expect((await app.balanceSun(client)) - before).toBe(BigInt(amount_sun))
  expect((await call(client, 'GET', `/order/${id}`)).body.status).toBe('AWAITING_PAYMENT')
  const told = await until('the event', async () =>
    receiver.at('/blocked').find((got) => got.headers['x-service-event'] === 'balance.credited'),
  )
  expect(JSON.parse(told.body.toString()).data).toMatchObject({
    reference_id: expect.stringContaining(txid),
  })
})

test('an order under way is delivered', async () => {
  const client = await app.fundedAccount('100')
  const { order_id } = (await app.buy(client)).body
  await block(client)
  await until('the delivery', async () => {
    await app.mineWhenRead()
    return (await call(client, 'GET', `/order/${order_id}`)).body.status === 'COMPLETED'
  })
})

test('an order under way that fails is refunded', async () => {
  const client = await app.fundedAccount('100')
  await app.provider({ behaviour: 'fail' })
  const { order_id } = (await app.buy(client)).body
  await block(client)
  const failed = await until('the end', async () => {
    await app.mineWhenRead()
    const { body } = await call(client, 'GET', `/order/${order_id}`)
    return body.status === 'FAILED' && body
  })
  expect(failed.error_message).toEqual(expect.any(String))
  expect(await app.balanceSun(client)).toBe(100_000_000n)
  await app.provider({ behaviour: 'ok' })
})

test('a replay of a purchase made before is answered with its first answer', async () => {
  const client = await app.fundedAccount('100')
  const first = await app.buy(client, { key: 'same' })
  await block(client)
  const again = await app.buy(client, { key: 'same' })
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
})

test('a pay page takes nothing; payments are skipped, dedicated TRX is credited; what was skipped before is sold later', async () => {
  const client = await app.fundedAccount('500')
  const made = (await config(client)).body
  const page = async () => (await app.call('GET', `/v1/pay/${made.public_id}`)).body
  await until('the page sells', async () => (await page()).available)
  await call(client, 'POST', `/agent/configs/${made.id}/pause`)
  const paused = await payment(client, await pay(made.address, 3_000_000), 'skipped')
  await call(client, 'POST', `/agent/configs/${made.id}/resume`)
  await block(client)
  expect(await page()).toMatchObject({ available: false, address: made.address })
  const before = await app.balanceSun(client)
  const txid = await pay(made.address, 3_000_000)
  const skipped = await payment(client, txid, 'skipped')
  expect(skipped).toMatchObject({ skip_reason: 'account_blocked', cost_sun: null, energy: 0 })
  expect((await app.balanceSun(client)) - before).toBe(3_000_000n)
  // Its configurations are as they were: unblocking restores them.
  const { items } = (await call(client, 'GET', '/agent/configs')).body
  expect(items).toMatchObject([{ status: 'active', pause_reason: null }])
  app.mine(SOLID_LAG + 1)
  await until('both are final', async () => {
    const open = 'select from agent.payment where id = any ($1) and final_at is null'
    return (await app.database.sql(open, [[paused.id, skipped.id]])).length === 0
  })
  const deliver = ({ id }: { id: string }) => call(client, 'POST', `/agent/payments/${id}/deliver`)
  refused(await deliver(paused))
  expect((await deliver(skipped)).status).toBe(409)
  await unblock(client)
  expect(await page()).toMatchObject({ available: true })
  expect((await deliver(skipped)).status).toBe(409)
  expect((await deliver(paused)).status).toBe(200)
})

async function covered(): Promise<{ client: TestAccount; own: Wallet }> {
  const client = await app.fundedAccount('100')
  const own = wallet()
  await app.cover(client, own)
  return { client, own }
}

test('AutoEnergy closes: the Energy goes back, no further day is charged, the reserve is free', async () => {
  const { client, own } = await covered()
  await own.sendUsdt(app.receivers[9]!)
  await app.become(client, own, { tx_used_total: 1 })
  await block(client)
  const closed = await app.become(client, own, { status: 'closed' })
  const { since } = (await app.get(client, '/account')).body.blocked
  expect(closed).toMatchObject({ close_reason: 'account_blocked', closed_at: since })
  await app.reclaimed(own)
  await app.advance(3 * 86_400)
  app.mine(SOLID_LAG + 1)
  expect((await app.entries(client)).map(({ kind }) => kind)).toEqual([
    'autoenergy_activate',
    'autoenergy_unit',
  ])
  expect((await app.get(client, '/account')).body.reserved_trx).toBe('0')
  const refusal = await app.act(client, own, 'reactivate')
  refused(refusal)
  await unblock(client)
  expect((await app.act(client, own, 'reactivate')).status).toBe(200)
  await app.become(client, own, { status: 'active' })
})

test('a day that falls due after the block is not charged, however late it is looked at', async () => {
  const { client, own } = await covered()
  // When the subscription is looked at again, solid time is past the day, and the block is from before it.
  await hold(
    app.database,
    {
      text: 'select from autoenergy.subscription where account_id = $1 for update',
      values: [client.account_id],
    },
    async () => {
      // First: what waits for the subscription has read whether there is a block.
      await app.database.sql(
        `select ledger.block_account(account_id, 'before the day', activated_at + interval '1 second')
           from autoenergy.subscription where account_id = $1`,
        [client.account_id],
      )
      await app.advance(2 * 86_400)
      app.mine(SOLID_LAG + 1)
      await app.scanned()
    },
  )
  const closed = await app.become(client, own, { status: 'closed' })
  expect(closed).toMatchObject({ close_reason: 'account_blocked' })
  await app.reclaimed(own)
  app.mine(SOLID_LAG + 1)
  expect((await app.entries(client)).map(({ kind }) => kind)).toEqual(['autoenergy_activate'])
})

test('a purchase in flight while the block is set is made before it, or refused', async () => {
  const client = await app.fundedAccount('100')
  let answers: Promise<Answer[]> | undefined
  await holdAccount(app.database, client.account_id, async (inFlight) => {
    const bought = app.buy(client)
    await inFlight()
    answers = Promise.all([bought, operate(client, 'block', { reason: REASON })])
  })
  const [bought, blocked] = await answers!
  expect(blocked!.status).toBe(200)
  expect([200, 403]).toContain(bought!.status)
  const made = bought!.status === 200 ? 1 : 0
  expect((await call(client, 'GET', '/orders')).body.total).toBe(made)
  refused(await app.buy(client))
})

test('a storm of purchases and a block: none is made after the block was answered', async () => {
  const client = await app.fundedAccount('1000')
  let answeredAt = Number.POSITIVE_INFINITY
  const buys = Array.from({ length: 60 }, async (_, nth) => {
    if (nth === 20) {
      await block(client)
      answeredAt = await madeSoFar(client)
      return 0
    }
    const answer = await app.buy(client)
    expect([200, 403]).toContain(answer.status)
    return answer.status === 200 ? 1 : 0
  })
  const made = (await Promise.all(buys)).reduce<number>((sum, one) => sum + one, 0)
  expect(made).toBe(answeredAt)
  expect(await app.balanceSun(client)).toBe(1_000_000_000n - BigInt(made * COST_65K))
})

const madeSoFar = async (client: TestAccount) =>
  (
    await app.database.sql(`select from orders.purchase_order where account_id = $1`, [
      client.account_id,
    ])
  ).length

test('a second block changes the reason alone; what is not blocked cannot be unblocked', async () => {
  const client = await app.fundedAccount('10')
  await block(client)
  const { since } = (await app.get(client, '/account')).body.blocked
  await operate(client, 'block', { reason: 'The document is not readable!' })
  expect((await app.get(client, '/account')).body.blocked).toEqual({
    reason: 'The document is not readable!',
    since,
  })
  await unblock(client)
  expect((await operate(client, 'unblock')).status).toBe(400)
  const [last] = (await ann.call('GET', '/actions?limit=2')).body.actions.slice(1)
  expect(last).toMatchObject({
    what: 'unblock',
    change: { before: 'The document is not readable!', after: null },
  })
  const nobody = { account_id: '01980000-0000-7000-8000-000000000000' } as TestAccount
  expect((await operate(nobody, 'block', { reason: REASON })).status).toBe(404)
})

test('other clients notice nothing', async () => {
  const [blocked, other] = [await app.fundedAccount('10'), await app.fundedAccount('10')]
  await block(blocked)
  const [mine, theirs] = await Promise.all([app.buy(blocked), app.buy(other)])
  expect([mine!.status, theirs!.status]).toEqual([403, 200])
})
