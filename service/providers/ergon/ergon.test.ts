import { randomUUID } from 'node:crypto'
import { parseAddress } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../../../proof/testing/app.ts'
import { holdAccount } from '../../../proof/testing/holdAccount.ts'
import { type Market, openMarket } from '../../../proof/testing/market.ts'
import { until } from '../../../proof/testing/until.ts'
import { systemClock } from '../../kernel/index.ts'
import type { Marketplace, Placed } from '../marketplace.ts'
import { createErgon } from './ergon.ts'

// A whole instance of this service as the marketplace.

let upstream: Market
let account: TestAccount
let adapter: Marketplace

beforeAll(async () => {
  upstream = await openMarket()
  account = await upstream.fundedAccount('1000')
  const access = { url: `${upstream.url}/v1`, key: account.api_key, secret: '' }
  adapter = createErgon(access, { clock: systemClock() })
})
afterAll(() => upstream.close())

let asked = 0
const order = (energy = 65_000n) => ({
  reference: randomUUID(),
  receiver: parseAddress(upstream.receivers[++asked % upstream.receivers.length]!)!,
  energy,
  unitPrice: 40n,
  writtenAt: new Date(),
})
const ordersThere = async () => (await upstream.get(account, '/orders')).body.total as number

test('its estimate and its bounds are an offer', async () => {
  const { unitPrice, minimum, capacity } = await adapter.readOffer()
  expect(unitPrice).toBeGreaterThanOrEqual(24n)
  expect(unitPrice).toBeLessThanOrEqual(36n)
  expect(minimum).toBe(32_000n)
  expect(capacity).toBe(5_000_000n)
})

test('an order is bought there and delivered, with a txid that is on the chain', async () => {
  const want = order()
  const placed = await adapter.place(want)
  if (placed.state !== 'accepted') throw new Error(placed.state)
  const lost = { ...want, orderId: placed.orderId }
  const seen = await until('the delivery', async () => {
    upstream.devnet.chain.mine()
    const answer = await adapter.lookUp(lost)
    return answer.state === 'delivered' && answer
  })
  expect(seen.cost).toBe(placed.cost)
  expect(upstream.devnet.chain.transaction(seen.txids[0]!)).toBeDefined()
  // Looked up by our reference alone it is the same order, and the lookup bought nothing.
  const count = await ordersThere()
  expect(await adapter.lookUp({ ...want, orderId: null })).toEqual(seen)
  expect(await ordersThere()).toBe(count)
})

test('an order that never arrived is never seen, however often we ask', async () => {
  const count = await ordersThere()
  const lost = { ...order(66_001n), orderId: null }
  for (let asking = 0; asking < 3; asking++) {
    expect(await adapter.lookUp(lost)).toEqual({ state: 'never_seen' })
  }
  expect(await ordersThere()).toBe(count)
  // The key can still be used for the order itself.
  expect(await adapter.place(lost)).toMatchObject({ state: 'accepted' })
})

test('while the order is in flight the outcome is unknown', async () => {
  const want = order()
  const lost = { ...want, orderId: null }
  let placing: Promise<Placed> | undefined
  await holdAccount(upstream.database, account.account_id, async (inFlight) => {
    placing = adapter.place(want)
    await inFlight()
    const seen = await adapter.lookUp(lost)
    expect(seen).toMatchObject({ state: 'unknown', reason: 'duplicate_request' })
  })
  const placed = await placing
  expect(placed).toMatchObject({ state: 'accepted' })
  expect(await adapter.lookUp(lost)).toMatchObject({ orderId: Object(placed).orderId })
})

test('a fitting order under another key is left to a person, unless it is claimed', async () => {
  const want = order(67_001n)
  const placed = await adapter.place(want)
  if (placed.state !== 'accepted') throw new Error(placed.state)
  const other = { ...want, reference: randomUUID(), orderId: null }
  const seen = await adapter.lookUp(other)
  expect(seen).toEqual({ state: 'ambiguous', orderIds: [placed.orderId] })
  const claimed = [placed.orderId]
  expect(await adapter.lookUp({ ...other, claimed })).toEqual({ state: 'never_seen' })
})

test('above the planned price nothing is bought', async () => {
  const placed = await adapter.place({ ...order(), unitPrice: 20n })
  expect(placed).toEqual({ state: 'refused', reason: 'price_above_limit' })
})

test('a key it does not know is refused, and there is no offer', async () => {
  const access = { url: `${upstream.url}/v1`, key: 'erg_wrong', secret: '' }
  const stranger = createErgon(access, { clock: systemClock() })
  expect(await stranger.place(order())).toMatchObject({ state: 'refused' })
  await expect(stranger.readOffer()).rejects.toThrow('ergon: status 401')
})

test('its movements are the statement: what was bought is charged, the deposit is not, and the balance fits', async () => {
  const before = await adapter.readBalance!()
  const placed = await adapter.place(order())
  if (placed.state !== 'accepted') throw new Error(placed.state)
  const { charges, next, oldest } = await adapter.readStatement!(null)
  const charge = charges.find(({ orderId }) => orderId === placed.orderId)
  expect(charge).toMatchObject({ amount: placed.cost })
  expect(await adapter.readBalance!()).toBe(before - placed.cost!)
  expect(charges.every(({ amount }) => amount < 100_000_000n)).toBe(true)
  expect([next, oldest]).toEqual([null, expect.any(Date)])
})
