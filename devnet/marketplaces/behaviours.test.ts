import { decodeTransaction } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openStandIn, type StandIn } from '../../proof/testing/standIn.ts'
import { until } from '../../proof/testing/until.ts'
import type { Seen } from '../../service/providers/index.ts'
import { type Devnet, startDevnet } from '../chain/devnet.ts'
import { marketplaceNames } from './standIn.ts'

// Every stand-in through our own adapter, over HTTP, with a chain that is mined by hand.

const IMPATIENT_MS = 1_000
let devnet: Devnet

beforeAll(async () => {
  devnet = await startDevnet({ blockMs: 0, solidLag: 2 })
})
afterAll(() => devnet.close())

describe.each(marketplaceNames)('%s', (name) => {
  let standIn: StandIn

  beforeAll(async () => {
    standIn = await openStandIn(devnet, name)
  })
  afterEach(() => standIn.script({ behaviour: 'ok', delay_ms: 0, capacity: null }))
  afterAll(() => standIn.close())

  const placeAndMine = async () => {
    const order = standIn.order()
    const placed = await standIn.adapter.place(order)
    if (placed.state !== 'accepted') throw new Error(`${placed.state}: ${placed.reason}`)
    const lost = { ...order, orderId: placed.orderId }
    const pending = await standIn.adapter.lookUp(lost)
    devnet.chain.mine()
    return { order, placed, lost, pending, seen: await standIn.adapter.lookUp(lost) }
  }

  const onChain = (seen: Seen) =>
    'txids' in seen ? seen.txids.map((txid) => devnet.chain.transaction(txid)) : []

  test('ok: an order becomes Energy at the receiver, with a txid that is on the chain', async () => {
    const balance = standIn.market.balance()
    const { order, placed, pending, seen } = await placeAndMine()
    expect(pending).toEqual({ state: 'pending', orderId: placed.orderId })
    const cost = order.energy * order.unitPrice
    expect(seen).toMatchObject({ state: 'delivered', orderId: placed.orderId, cost })
    expect(standIn.market.balance()).toBe(balance - cost)
    const [found] = onChain(seen)
    expect(decodeTransaction(found!.bytes).raw.contract).toMatchObject({
      type: 'DelegateResourceContract',
      value: { owner_address: standIn.market.delegator, receiver_address: order.receiver },
    })
    const given = await standIn.energyAt(order.receiver)
    expect(given).toBeGreaterThanOrEqual(order.energy)
    expect(given).toBeLessThan((order.energy * 1_003n) / 1_000n)
  })

  test('fail: the order is refused and nothing is charged', async () => {
    await standIn.script({ behaviour: 'fail' })
    const before = { count: standIn.market.orders.length, balance: standIn.market.balance() }
    expect(await standIn.adapter.place(standIn.order())).toMatchObject({ state: 'refused' })
    expect(standIn.market.orders).toHaveLength(before.count)
    expect(standIn.market.balance()).toBe(before.balance)
  })

  test('timeout_after_accept: no answer, and the order is found again and delivered once', async () => {
    await standIn.script({ behaviour: 'timeout_after_accept' })
    const count = standIn.market.orders.length
    const order = standIn.order()
    const impatient = standIn.adapterWith({ timeoutMs: IMPATIENT_MS })
    expect(await impatient.place(order)).toMatchObject({ state: 'unknown' })
    devnet.chain.mine()
    const seen = await standIn.adapter.lookUp({ ...order, orderId: null })
    expect(seen).toMatchObject({ state: 'delivered', txids: [expect.any(String)] })
    expect(onChain(seen)[0]).toBeDefined()
    expect(standIn.market.orders).toHaveLength(count + 1)
  })

  test('timeout_before_accept: no answer, and nothing has happened', async () => {
    await standIn.script({ behaviour: 'timeout_before_accept' })
    const count = standIn.market.orders.length
    const order = standIn.order()
    const impatient = standIn.adapterWith({ timeoutMs: IMPATIENT_MS })
    expect(await impatient.place(order)).toMatchObject({ state: 'unknown' })
    // CatFee has no query that cannot buy, so it never answers "never seen".
    const expected = name === 'catfee' ? 'unknown' : 'never_seen'
    expect(await impatient.lookUp({ ...order, orderId: null })).toMatchObject({ state: expected })
    expect(standIn.market.orders).toHaveLength(count)
  })

  test('lost_delegation: success with a txid that no block ever holds', async () => {
    await standIn.script({ behaviour: 'lost_delegation' })
    const { seen } = await placeAndMine()
    expect(seen).toMatchObject({ state: 'delivered', txids: [expect.stringMatching(/^\w{64}$/)] })
    devnet.chain.mine()
    expect(onChain(seen)).toEqual([undefined])
  })

  test('partial: half is delegated, and no more comes', async () => {
    await standIn.script({ behaviour: 'partial' })
    const { order, placed, seen } = await placeAndMine()
    // TronSave has no state for failure: an order that is not filled stays open.
    const state = name === 'tronsave' ? 'pending' : 'failed'
    expect(seen).toMatchObject({ state, orderId: placed.orderId })
    if (state === 'failed') expect(onChain(seen)[0]).toBeDefined()
    const given = await standIn.energyAt(order.receiver)
    expect(given).toBeGreaterThanOrEqual(order.energy / 2n)
    expect(given).toBeLessThan((order.energy * 6n) / 10n)
  })

  test('late: delegated 180 seconds later by the time of the chain', async () => {
    await standIn.script({ behaviour: 'late' })
    const { order, lost, seen } = await placeAndMine()
    expect(seen.state).toBe('pending')
    devnet.chain.clock.advance(170_000)
    devnet.chain.mine()
    await standIn.market.tick()
    expect(devnet.chain.pool.size).toBe(0)
    devnet.chain.clock.advance(15_000)
    devnet.chain.mine()
    await until('the late delegation', () => devnet.chain.pool.size > 0)
    devnet.chain.mine()
    expect(await standIn.adapter.lookUp(lost)).toMatchObject({ state: 'delivered' })
    expect(await standIn.energyAt(order.receiver)).toBeGreaterThanOrEqual(order.energy)
  })

  test('taken_back: delegated, and taken back after ten minutes of the chain', async () => {
    await standIn.script({ behaviour: 'taken_back' })
    const { order, seen } = await placeAndMine()
    expect(seen.state).toBe('delivered')
    const given = await standIn.energyAt(order.receiver)
    expect(given).toBeGreaterThanOrEqual(order.energy)
    devnet.chain.clock.advance(605_000)
    devnet.chain.mine()
    await until('it is taken back', async () => {
      devnet.chain.mine()
      return (await standIn.energyAt(order.receiver)) <= given - order.energy
    })
  })

  test('down: neither offers nor orders, and it is never taken for an order', async () => {
    await standIn.script({ behaviour: 'down' })
    await expect(standIn.adapter.readOffer()).rejects.toThrow(name)
    // Where the price is requested first, the order was certainly never sent.
    const expected = name === 'tronsave' ? 'unknown' : 'refused'
    expect(await standIn.adapter.place(standIn.order())).toMatchObject({ state: expected })
  })

  test('the Energy goes back after its hour, by the time of the chain', async () => {
    const { order } = await placeAndMine()
    expect(await standIn.energyAt(order.receiver)).toBeGreaterThan(0n)
    devnet.chain.clock.advance(3_601_000)
    await until('the stake is back', async () => {
      devnet.chain.mine()
      return (await standIn.energyAt(order.receiver)) === 0n
    })
  })

  test('a delegation that expires in the pool is made again', async () => {
    const order = standIn.order()
    const placed = await standIn.adapter.place(order)
    if (placed.state !== 'accepted') throw new Error(placed.state)
    devnet.chain.clock.advance(120_000)
    const lost = { ...order, orderId: placed.orderId }
    await until('the second delegation', async () => {
      devnet.chain.mine()
      return (await standIn.adapter.lookUp(lost)).state === 'delivered'
    })
  })
})
