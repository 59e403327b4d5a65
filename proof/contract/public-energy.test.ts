// Proves: pricing.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../testing/app.ts'

let app: TestApp
let holders: string[]
let usdt: string
beforeAll(async () => {
  app = await openTestApp()
  const { network } = app.devnet.chain
  holders = network.funded.map(({ address }) => toBase58(address))
  usdt = toBase58(network.usdt)
})
afterAll(() => app.close())

/** Never used on the chain. */
const NOBODY = 'TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'
const energy = (query: Record<string, string>) =>
  app.call('GET', `/v1/public/energy?${new URLSearchParams(query)}`)

test('200 without a key: USDT to a holder is the 65k class', async () => {
  const { status, body } = await energy({ from: holders[0]!, to: holders[1]! })
  const { unit_price_sun } = (await app.call('GET', '/v1/public/pricing')).body
  expect([status, body]).toEqual([
    200,
    {
      energy: 64_285,
      energy_class: '65k',
      energy_source: 'chain',
      price_sun: 64_285 * unit_price_sun,
      price_trx: String((64_285 * unit_price_sun) / 1e6),
      burn_cost_trx: '6.4285',
      receiver_activated: true,
      receiver_holds_token: true,
    },
  ])
})

test('to an address that is not on the chain it is the 131k class', async () => {
  const { status, body } = await energy({ from: holders[0]!, to: NOBODY })
  expect([status, body]).toMatchObject([
    200,
    {
      energy: 130_285,
      energy_class: '131k',
      burn_cost_trx: '13.0285',
      receiver_activated: false,
      receiver_holds_token: false,
    },
  ])
})

test('USDT is what is meant when no token is named', async () => {
  const transfer = { from: holders[0]!, to: holders[1]! }
  const [named, unnamed] = [await energy({ ...transfer, token: usdt }), await energy(transfer)]
  expect(named.text).toBe(unnamed.text)
})

test('below the smallest order the price is that of the smallest order', async () => {
  await app.call('POST', '/sandbox/settings', { body: { min_amount: 100_000 } })
  const { body } = await energy({ from: holders[0]!, to: holders[1]! })
  const { unit_price_sun } = (await app.call('GET', '/v1/public/pricing')).body
  expect([body.energy, body.price_sun]).toEqual([64_285, 100_000 * unit_price_sun])
  await app.call('POST', '/sandbox/settings', { body: { min_amount: 32_000 } })
})

test('422 names every address that is missing or none', async () => {
  const { status, body } = await energy({ to: 'TQn9', token: 'x' })
  expect(status).toBe(422)
  expect(body.detail).toMatchObject([
    { loc: ['query', 'from'], type: 'missing' },
    { loc: ['query', 'to'], type: 'value_error' },
    { loc: ['query', 'token'], type: 'value_error' },
  ])
  const hex = `41${'0'.repeat(40)}`
  expect((await energy({ from: hex, to: NOBODY })).status).toBe(422)
})

test('400 validation_error when the transfer would fail on the chain, and why', async () => {
  const poor = await energy({ from: NOBODY, to: holders[0]! })
  expect([poor.status, poor.body.detail]).toEqual([
    400,
    { error: 'validation_error', message: expect.stringContaining('The sender holds none') },
  ])
  const wallet = await energy({ from: holders[0]!, to: holders[1]!, token: holders[2]! })
  expect([wallet.status, wallet.body.detail.message]).toEqual([
    400,
    'token is not a contract that can be called.',
  ])
})

test('503 when no node answers', async () => {
  const alone = await openTestApp({ nodeUrls: ['http://127.0.0.1:9'] })
  const { status, body } = await alone.call(
    'GET',
    `/v1/public/energy?from=${holders[0]}&to=${holders[1]}`,
  )
  expect([status, body.detail.error]).toEqual([503, 'service_unavailable'])
  await alone.close()
})
