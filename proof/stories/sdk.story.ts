// Proves: orders, account.
import {
  Ergon,
  isRefused,
  type Order,
  trxToSun,
  verifyWebhook,
  type WaitProgress,
} from '@ergon/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Market, openMarket } from '../testing/market.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'

// A program that uses only the SDK: it deposits, buys, waits, reads its lists and gets refusals.

let market: Market
let ergon: Ergon
let txHash: string

beforeAll(async () => {
  market = await openMarket({ blockMs: 200 })
  const { api_key, deposit_address } = await market.newAccount()
  ergon = new Ergon({ baseUrl: `${market.url}/v1`, apiKey: api_key })
  const body = { from: market.receivers[0], to: deposit_address, amount_sun: 10_000_000 }
  txHash = (await market.call('POST', '/sandbox/chain/transfer', { body })).body.txid
})
afterAll(() => market.close())

test('a deposit is waited for by its transaction', async () => {
  const deposit = await ergon.waitForDeposit(txHash, { timeoutMs: stretched(30_000) })
  expect(deposit).toMatchObject({ status: 'confirmed', amount_sun: 10_000_000n, amount_trx: '10' })
  expect((await ergon.account()).balance_trx).toBe('10')
})

test('a purchase is made once, waited for, and found in every list', async () => {
  const purchase = { receiver_address: market.receivers[1]!, resource_amount: 65_000 }
  const { total_price_sun } = await ergon.estimate(purchase)
  expect(await ergon.estimate(65_000)).toMatchObject({ total_price_sun })
  const first = await ergon.buy(purchase, { idempotencyKey: 'sdk-story' })
  expect(await ergon.buy(purchase, { idempotencyKey: 'sdk-story' })).toEqual(first)
  const looks: (string | undefined)[] = []
  const timeoutMs = stretched(60_000)
  const onProgress = ({ seen, ...rest }: WaitProgress<Order>) => {
    looks.push(seen?.status)
    expect(rest).toEqual({ polls: looks.length, elapsedMs: expect.any(Number), timeoutMs })
  }
  const order = await ergon.waitForOrder(first.order_id, { onProgress, timeoutMs })
  expect(order).toMatchObject({ status: 'COMPLETED', total_price_sun })
  expect(looks.at(-1)).toBe('COMPLETED')
  expect(await ergon.orders().take(5)).toMatchObject([{ id: first.order_id }])
  const entries = await ergon.transactions({ limit: 1 }).take(5)
  expect(entries.map(({ entry_type, amount_sun }) => [entry_type, amount_sun])).toEqual([
    ['purchase', -total_price_sun],
    ['deposit', trxToSun('10')],
  ])
})

test('refusals are typed', async () => {
  const tooMuch = { receiver_address: market.receivers[1]!, resource_amount: 5_000_000 }
  const poor = await ergon.buy(tooMuch).catch((error: unknown) => error)
  if (!isRefused(poor, 'insufficient_balance')) throw poor
  expect(poor.fields.current_balance).toBeLessThan(poor.fields.required_amount)
  const small = await ergon.buy({ ...tooMuch, resource_amount: 1 }).catch((error: unknown) => error)
  if (!isRefused(small, 'order_amount_below_minimum')) throw small
  expect(small.fields.min).toBe(32_000)
  const unknown = await ergon.order('nonsense').catch((error: unknown) => error)
  expect(isRefused(unknown, 'order_not_found')).toBe(true)
  const nobody = new Ergon({ baseUrl: `${market.url}/v1`, apiKey: 'erg_wrong' })
  const stranger = await nobody.account().catch((error: unknown) => error)
  expect(isRefused(stranger, 'invalid_api_key')).toBe(true)
})

test('AutoEnergy, agent and public endpoints answer as their types say', async () => {
  expect(await ergon.autoenergy.list()).toEqual([])
  const missing = await ergon.autoenergy.get(market.receivers[2]!).catch((error: unknown) => error)
  expect(isRefused(missing, 'not_found')).toBe(true)
  const summary = await ergon.agent.summary()
  expect([summary.min_balance_sun, summary.max_configs]).toEqual([100_000_000n, 20])
  expect(await ergon.agent.payments().take(1)).toEqual([])
  const open = new Ergon({ baseUrl: `${market.url}/v1` })
  const [from, to] = market.receivers as [string, string]
  const { energy, price_sun } = await open.public.energy({ from, to })
  const { unit_price_sun } = await open.public.pricing()
  expect(price_sun).toBe(BigInt(energy) * unit_price_sun)
})

test('what a webhook is sent verifies, also while its secret is rotated', async () => {
  const sink = (await market.call('POST', '/sandbox/webhook-sink')).body
  const hook = await ergon.webhooks.create({ name: 'story', url: sink.url })
  await ergon.webhooks.test(hook.id)
  const rotated = await ergon.webhooks.rotateSecret(hook.id, { overlap_hours: 1 })
  await ergon.webhooks.test(hook.id)
  const deliveries = await until('two deliveries', async () => {
    const { body } = await market.call('GET', `/sandbox/webhook-sink/${sink.id}`)
    return body.deliveries.length === 2 && body.deliveries
  })
  const verify = (index: number, secret: string) => {
    const { headers, raw_body } = deliveries[index]
    return verifyWebhook({ headers, body: raw_body, secret })
  }
  const event = await verify(0, hook.signing_secret)
  if (event.type !== 'notification.test') throw new Error(event.type)
  expect(event.data.message).toEqual(expect.any(String))
  await expect(verify(0, rotated.signing_secret)).rejects.toMatchObject({ problem: 'signature' })
  await verify(1, hook.signing_secret)
  await verify(1, rotated.signing_secret)
  expect(await ergon.webhooks.deliveries(hook.id).take(9)).toHaveLength(2)
  await ergon.webhooks.delete(hook.id)
  expect(await ergon.webhooks.list()).toEqual([])
})
