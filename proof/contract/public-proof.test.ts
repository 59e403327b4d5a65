// Proves: orders, delivery.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'

let market: Market
let client: TestAccount
let completed: string

beforeAll(async () => {
  market = await openMarket()
  client = await market.fundedAccount('100')
  completed = (await market.buy(client)).body.order_id
  await until('COMPLETED', async () => {
    await market.mineWhenRead()
    return (await market.get(client, `/order/${completed}`)).body.status === 'COMPLETED'
  })
})
afterAll(() => market.close())

const proof = (id: string) => market.call('GET', `/v1/public/proof/${id}`)

test('200 without a key: what was delegated, as the chain has it, and nothing about the buyer', async () => {
  const { status, body, text } = await proof(completed)
  expect(status).toBe(200)
  const order = (await market.get(client, `/order/${completed}`)).body
  expect(body).toEqual({
    order_id: completed,
    resource_amount: 65_000,
    receiver_address: market.receivers[1],
    delegations: [
      {
        txid: order.delegation_txids[0],
        block: expect.any(Number),
        energy: 65_000,
        delegated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        reclaimed_at: null,
      },
    ],
    credits: [],
    seconds_to_delivery: expect.any(Number),
  })
  const [{ txid, block }] = body.delegations
  expect(market.devnet.chain.transaction(txid)!.block.number).toBe(block)
  expect(text).not.toContain(client.account_id)
  expect(text).not.toContain('price')
})

test('the scorecard has each provider in three windows, with its method and without a key', async () => {
  await market.rooms.delivery.scorecard.loop.runOnce()
  const { status, body, text } = await market.call('GET', '/v1/public/scorecard')
  expect(status).toBe(200)
  const seconds = expect.any(Number)
  const figures = { attempts: 1, delivered: 1, failed: 0, fill_rate_bps: 10_000 }
  const of = { ...figures, average_price_sun: 15, median_seconds: seconds, p95_seconds: seconds }
  expect(body).toEqual({
    method: expect.stringContaining('Counted from every attempt'),
    counted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    providers: [
      {
        name: 'own_stake',
        windows: [
          { window: '24h', ...of },
          { window: '7d', ...of },
          { window: '30d', ...of },
        ],
      },
    ],
  })
  expect(text).not.toContain(client.account_id)
})

test('404, always the same: unknown, malformed, and not completed', async () => {
  await market.provider({ behaviour: 'fail' })
  const failed = (await market.buy(client)).body.order_id
  const answers = await Promise.all(
    [failed, '01a1dd1e-0000-7000-8000-000000000000', 'x', `${completed}%00`].map(proof),
  )
  for (const answer of [...answers, await proof(completed.toUpperCase())]) {
    expect([answer.status, answer.text]).toEqual([404, answers[1]!.text])
  }
  await market.provider({ behaviour: 'ok' })
})

test('reclaimed_at says when it was taken back', async () => {
  await market.advance(3_700)
  await until('reclaimed', async () => {
    await market.mineWhenRead()
    return (await proof(completed)).body.delegations[0].reclaimed_at !== null
  })
})
