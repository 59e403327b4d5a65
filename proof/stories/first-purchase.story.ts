// Proves: orders, deposits, events.
import { toBase58 } from '@ergon/tron'
import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'

// A client deposits TRX with TronWeb, buys 65,000 Energy and gets it; after the hour it is
// reclaimed.

let app: TestApp
let client: TestAccount
let tronWeb: TronWeb
let receiver: string

beforeAll(async () => {
  app = await openTestApp({ signer: true })
  client = await app.newAccount()
  const [payer, other] = app.devnet.chain.network.funded
  tronWeb = new TronWeb({ fullHost: app.devnet.url, privateKey: payer!.privateKey })
  receiver = toBase58(other!.address)
})
afterAll(() => app.close())

const call = (method: string, path: string, body?: unknown, headers = {}) =>
  app.call(method, `/v1${path}`, { key: client.api_key, body, headers })

const account = async () => (await call('GET', '/account')).body
const order = async (id: string) => (await call('GET', `/order/${id}`)).body
const energyLimit = async () => (await tronWeb.trx.getAccountResources(receiver)).EnergyLimit ?? 0

async function finalOrder(id: string) {
  return until(`order ${id} is final`, async () => {
    await app.mineWhenRead()
    const now = await order(id)
    return ['COMPLETED', 'FAILED'].includes(now.status) && now
  })
}

test('a deposit by TronWeb is credited with its block and verified when it is solid', async () => {
  const sent = await tronWeb.trx.sendTransaction(client.deposit_address, 100_000_000)
  expect(sent.result).toBe(true)
  expect((await account()).balance_trx).toBe('0')
  app.devnet.chain.mine()
  await until('the credit', async () => (await account()).balance_trx === '100')
  const { deposits, has_more } = (await call('GET', '/deposits')).body
  expect(has_more).toBe(false)
  expect(deposits).toMatchObject([
    {
      tx_hash: sent.txid,
      amount_sun: 100_000_000,
      amount_trx: '100',
      status: 'confirmed',
      verified_at: null,
    },
  ])
  for (let block = 0; block < 6; block++) app.devnet.chain.mine()
  await until('verified_at', async () => {
    const { body } = await call('GET', '/deposits')
    return body.deposits[0].verified_at !== null
  })
})

test('65,000 Energy are bought, delegated on the chain, and paid for once', async () => {
  await until(
    'an offer',
    async () => (await call('GET', '/estimate?resource_amount=65000')).status === 200,
  )
  const quote = (await call('GET', '/estimate?resource_amount=65000')).body
  const bought = await call('POST', '/buy', { receiver_address: receiver, resource_amount: 65_000 })
  expect(bought.status).toBe(200)
  expect(bought.body).toMatchObject({
    status: 'PENDING',
    total_price_sun: quote.total_price_sun,
    balance_after_sun: 100_000_000 - quote.total_price_sun,
  })
  const done = await finalOrder(bought.body.order_id)
  expect(done).toMatchObject({ status: 'COMPLETED', error_message: null, resource_amount: 65_000 })
  expect(done.delegation_txids).toHaveLength(1)
  expect(await energyLimit()).toBeGreaterThanOrEqual(65_000)
  const transaction = await tronWeb.trx.getUnconfirmedTransactionInfo(done.delegation_txids[0])
  expect(transaction.id).toBe(done.delegation_txids[0])
  const moves = await app.database.sql(
    `select kind, debit, credit, amount_sun::int as amount from ledger.movement where reference_id = $1 order by kind`,
    [done.id],
  )
  expect(moves).toEqual([
    {
      kind: 'deliver',
      debit: 'escrow:orders',
      credit: 'income:energy',
      amount: quote.total_price_sun,
    },
    { kind: 'purchase', debit: 'client', credit: 'escrow:orders', amount: quote.total_price_sun },
  ])
  const events = await app.database.sql(
    `select data from events.event where type = 'order.status_changed' and subject = $1`,
    [done.id],
  )
  expect(events).toEqual([
    {
      data: {
        order_id: done.id,
        status: 'COMPLETED',
        resource_type: 'ENERGY',
        resource_amount: '65000',
        receiver_address: receiver,
        total_price_sun: quote.total_price_sun,
        error_message: null,
      },
    },
  ])
})

test('the delegation is taken back after its hour', async () => {
  await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 3_590 } })
  expect(await energyLimit()).toBeGreaterThanOrEqual(65_000)
  await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 60 } })
  await until('the Energy is gone', async () => {
    await app.mineWhenRead()
    return (await energyLimit()) === 0
  })
})

test('a provider that refuses: FAILED, refunded whole, with a reason, one event', async () => {
  const before = (await account()).balance_trx
  await app.call('POST', '/sandbox/providers/own_stake', { body: { behaviour: 'fail' } })
  const bought = await call('POST', '/buy', { receiver_address: receiver, resource_amount: 65_000 })
  expect(bought.status).toBe(200)
  const failed = await finalOrder(bought.body.order_id)
  expect(failed).toMatchObject({ status: 'FAILED', delegation_txids: [], completed_at: null })
  expect(failed.error_message).toContain('You were not charged')
  expect((await account()).balance_trx).toBe(before)
  const kinds = await app.database.sql(
    `select kind from ledger.movement where reference_id = $1 order by kind`,
    [failed.id],
  )
  expect(kinds).toEqual([{ kind: 'purchase' }, { kind: 'refund' }])
  await app.call('POST', '/sandbox/providers/own_stake', { body: { behaviour: 'ok' } })
})

test('a signer that is away: the order fails at its deadline and the money is back', async () => {
  await app.signer?.stop()
  const before = (await account()).balance_trx
  const bought = await call('POST', '/buy', { receiver_address: receiver, resource_amount: 65_000 })
  await until('processing', async () => (await order(bought.body.order_id)).status === 'PROCESSING')
  await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 130 } })
  const failed = await finalOrder(bought.body.order_id)
  expect(failed.status).toBe('FAILED')
  expect((await account()).balance_trx).toBe(before)
})
