// Proves: orders.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../testing/app.ts'
import { holdAccount } from '../testing/holdAccount.ts'
import { type Market, openMarket } from '../testing/market.ts'

let market: Market
let second: Market
beforeAll(async () => {
  market = await openMarket()
  const { database, devnet } = market
  second = await openMarket({ database, devnet, signer: false, role: 'api' })
})
afterAll(async () => {
  await second.close()
  await market.close()
})

const duplicate = [409, '{"detail":{"error":"duplicate_request"}}']

test('409 duplicate_request: the same key still in flight, on this node and on another', async () => {
  const client = await market.fundedAccount('100')
  let first: Promise<Answer> | undefined
  await holdAccount(market.database, client.account_id, async (inFlight) => {
    first = market.buy(client, { key: 'twin' })
    await inFlight()
    // At once: the first still waits for the account when its twins are answered.
    for (const node of [market, second, market, second]) {
      const { status, text } = await node.buy(client, { key: 'twin' })
      expect([status, text]).toEqual(duplicate)
    }
  })
  const bought = await first!
  expect(bought.status).toBe(200)
  const replay = await second.buy(client, { key: 'twin' })
  expect([replay.status, replay.text]).toEqual([200, bought.text])
  expect(replay.headers.get('idempotency-replayed')).toBe('true')
  expect((await market.get(client, '/orders')).body.total).toBe(1)
})

test('409 comes before any other refusal of the twin, and is not for other keys or accounts', async () => {
  const [client, other] = [await market.fundedAccount('100'), await market.fundedAccount('100')]
  let first: Promise<Answer> | undefined
  await holdAccount(market.database, client.account_id, async (inFlight) => {
    first = market.buy(client, { key: 'k' })
    await inFlight()
    const wrong = await second.buy(client, { key: 'k', body: { resource_type: 'BANDWIDTH' } })
    expect([wrong.status, wrong.text]).toEqual(duplicate)
    expect((await second.buy(other, { key: 'k' })).status).toBe(200)
  })
  expect((await first!).status).toBe(200)
})

test('a purchase that was refused while its twin got 409 leaves the key free', async () => {
  const poor = await market.newAccount()
  let first: Promise<Answer> | undefined
  await holdAccount(market.database, poor.account_id, async (inFlight) => {
    first = market.buy(poor, { key: 'k' })
    await inFlight()
    expect((await second.buy(poor, { key: 'k' })).status).toBe(409)
  })
  expect((await first!).body.detail.error).toBe('insufficient_balance')
  expect((await second.buy(poor, { key: 'k' })).body.detail.error).toBe('insufficient_balance')
})
