import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openStandIn, type StandIn } from '../../proof/testing/standIn.ts'
import { systemClock } from '../../service/kernel/index.ts'
import { type Devnet, startDevnet } from '../chain/devnet.ts'
import type { MarketplaceName } from './dialect.ts'
import { marketplaceNames } from './standIn.ts'

// The documented behaviour of each marketplace, through our own adapters over HTTP.

let devnet: Devnet
const open = {} as Record<MarketplaceName, StandIn>

beforeAll(async () => {
  devnet = await startDevnet({ blockMs: 0, solidLag: 2 })
  for (const name of marketplaceNames) open[name] = await openStandIn(devnet, name)
})
afterEach(async () => {
  for (const { market, script } of Object.values(open)) {
    const price_sun = Number(market.script().unitPrice)
    await script({ behaviour: 'ok', capacity: null, price_sun })
  }
})
afterAll(async () => {
  await Promise.all(Object.values(open).map((standIn) => standIn.close()))
  await devnet.close()
})

describe('offers', () => {
  test.each([
    ['catfee', { unitPrice: 18n, minimum: 65_000n, capacity: 2_000_000n }],
    ['tronsave', { unitPrice: 19n, minimum: 32_000n }],
    ['itrx', { unitPrice: 20n, minimum: 12_000n, surcharge: { below: 50_000n, amount: 600_000n } }],
    ['tronzap', { unitPrice: 22n, minimum: 50_000n, capacity: 2_000_000n }],
  ] as const)('%s has its price and its bounds', async (name, terms) => {
    const offer = await open[name].adapter.readOffer()
    expect(offer).toMatchObject(terms)
    expect(offer.capacity).toBeGreaterThan(1_000_000n)
  })

  test.each(['itrx', 'tronsave'] as const)('%s tells its stock', async (name) => {
    await open[name].script({ capacity: 70_000 })
    expect((await open[name].adapter.readOffer()).capacity).toBe(70_000n)
    const { order, adapter } = open[name]
    expect(await adapter.place(order())).toMatchObject({ state: 'accepted' })
    expect((await adapter.readOffer()).capacity).toBe(5_000n)
    expect(await adapter.place(order())).toMatchObject({ state: 'refused' })
  })
})

test.each(marketplaceNames)(
  '%s: no more is on offer than our balance there pays for',
  async (name) => {
    // TronZap reports it in TRX, the others in SUN.
    const balance = name === 'tronzap' ? '1' : '1000000'
    const poor: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      const text = await answer.text()
      return new Response(text.replace(/("balance":"?)[\d.]+/, `$1${balance}`), answer)
    }
    const offer = await open[name].adapterWith({ fetch: poor }).readOffer()
    expect(offer.float).toBe(1_000_000n)
    expect(offer.capacity).toBe(1_000_000n / offer.unitPrice)
  },
)

test.each(marketplaceNames)('%s: a price above the planned one is not paid', async (name) => {
  const { adapter, order, market } = open[name]
  const count = market.orders.length
  const want = order()
  const placed = await adapter.place({ ...want, unitPrice: want.unitPrice - 1n })
  expect(placed).toMatchObject({ state: 'refused' })
  expect(market.orders).toHaveLength(count)
})

test.each(marketplaceNames)('%s: wrong credentials are refused', async (name) => {
  const { adapterWith, order, market } = open[name]
  const count = market.orders.length
  // TronSave signs nothing: it has only a key.
  const wrong = name === 'tronsave' ? { key: 'wrong' } : { secret: 'wrong' }
  expect(await adapterWith(wrong).place(order())).toMatchObject({ state: 'refused' })
  expect(await adapterWith({ key: 'wrong' }).place(order())).toMatchObject({ state: 'refused' })
  await expect(adapterWith({ key: 'wrong' }).readOffer()).rejects.toThrow(name)
  expect(market.orders).toHaveLength(count)
})

test.each([
  ['catfee', 6_000],
  ['itrx', 62_000],
] as const)('%s: a signature with the time of another clock is refused', async (name, ms) => {
  const clock = systemClock()
  const ahead = { ...clock, wallMs: () => clock.wallMs() + ms }
  const { adapterWith, order } = open[name]
  expect(await adapterWith({ clock: ahead }).place(order())).toMatchObject({ state: 'refused' })
  expect(await adapterWith({}).place(order())).toMatchObject({ state: 'accepted' })
})

test.each(marketplaceNames)('%s: an address that is not activated is refused', async (name) => {
  const { adapter, order } = open[name]
  const receiver = `41${'5a'.repeat(20)}`
  expect(await adapter.place(order({ receiver }))).toMatchObject({ state: 'refused' })
})

test('itrx: a small order costs its surcharge, once', async () => {
  const { adapter, order } = open.itrx
  const placed = await adapter.place(order({ energy: 40_000n }))
  expect(placed).toMatchObject({ state: 'accepted', cost: 40_000n * 20n + 600_000n })
})

test('itrx: an order can be given back before its hour is over', async () => {
  const { adapter, order, energyAt } = open.itrx
  const want = order()
  const placed = await adapter.place(want)
  if (placed.state !== 'accepted') throw new Error(placed.state)
  devnet.chain.mine()
  await adapter.lookUp({ ...want, orderId: placed.orderId })
  expect(await energyAt(want.receiver)).toBeGreaterThan(0n)
  await adapter.reclaim!(placed.orderId)
  devnet.chain.mine()
  expect(await energyAt(want.receiver)).toBe(0n)
})

describe('the same reference twice', () => {
  test('catfee answers the first order and charges once', async () => {
    const { adapter, order, market } = open.catfee
    const balance = market.balance()
    const want = order()
    const [first, second] = [await adapter.place(want), await adapter.place(want)]
    expect(first).toMatchObject({ state: 'accepted' })
    expect(second).toMatchObject({ state: 'accepted', orderId: Object(first).orderId })
    expect(balance - market.balance()).toBe(want.energy * want.unitPrice)
  })

  test.each(['itrx', 'tronzap'] as const)(
    '%s makes a second order and charges twice',
    async (n) => {
      const { adapter, order, market } = open[n]
      const balance = market.balance()
      const want = order()
      const [first, second] = [await adapter.place(want), await adapter.place(want)]
      expect(second).toMatchObject({ state: 'accepted' })
      expect(Object(second).orderId).not.toBe(Object(first).orderId)
      expect(balance - market.balance()).toBe(2n * want.energy * want.unitPrice)
    },
  )
})

test('catfee: asking again buys what never arrived, while it is wanted and in time', async () => {
  const { adapter, adapterWith, order, script, market } = open.catfee
  await script({ behaviour: 'timeout_before_accept' })
  const want = order()
  const placed = await adapterWith({ timeoutMs: 500 }).place(want)
  expect(placed).toMatchObject({ state: 'unknown' })
  await script({ behaviour: 'ok' })
  const count = market.orders.length
  const lost = { ...want, orderId: null }
  const unwanted = await adapter.lookUp({ ...lost, wanted: false })
  const old = await adapter.lookUp({ ...lost, writtenAt: new Date(Date.now() - 60_000) })
  expect([unwanted.state, old.state]).toEqual(['unknown', 'unknown'])
  expect(market.orders).toHaveLength(count)
  expect(await adapter.lookUp(lost)).toMatchObject({ state: 'pending' })
  expect(await adapter.lookUp(lost)).toMatchObject({ state: 'pending' })
  expect(market.orders).toHaveLength(count + 1)
})

describe('tronsave takes no reference', () => {
  const placed = async (want: ReturnType<StandIn['order']>) => {
    const answer = await open.tronsave.adapter.place(want)
    if (answer.state !== 'accepted') throw new Error(`${answer.state}: ${answer.reason}`)
    devnet.chain.mine()
    await open.tronsave.adapter.lookUp({ ...want, orderId: answer.orderId })
    return answer.orderId
  }

  test('a twin of an order that is not filled yet is refused', async () => {
    const { adapter, order } = open.tronsave
    const want = order()
    expect(await adapter.place(want)).toMatchObject({ state: 'accepted' })
    expect(await adapter.place(want)).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('MUST_BE_WAIT_PREVIOUS_ORDER_FILLED'),
    })
  })

  test('two orders that fit are left to a person, unless others are known to own them', async () => {
    const { adapter, order } = open.tronsave
    const want = order({ energy: 77_000n })
    const ids = [await placed(want), await placed(want)]
    const lost = { ...want, orderId: null }
    const seen = await adapter.lookUp(lost)
    expect(seen.state).toBe('ambiguous')
    expect(Object(seen).orderIds.toSorted()).toEqual(ids.toSorted())
    const [first, second] = ids as [string, string]
    const other = await adapter.lookUp({ ...lost, claimed: [first] })
    expect(other).toMatchObject({ state: 'delivered', orderId: second })
    expect(await adapter.lookUp({ ...lost, claimed: ids })).toEqual({ state: 'never_seen' })
  })

  test('an order of another time, amount or receiver does not fit', async () => {
    const { adapter, order } = open.tronsave
    const want = order({ energy: 78_000n })
    await placed(want)
    const lost = { ...want, orderId: null }
    const writtenAt = new Date(Date.now() + 60_000)
    const others = [{ writtenAt }, { energy: 78_001n }, { receiver: order().receiver }]
    for (const other of others) {
      expect(await adapter.lookUp({ ...lost, ...other })).toEqual({ state: 'never_seen' })
    }
    expect(await adapter.lookUp(lost)).toMatchObject({ state: 'delivered' })
  })

  test('all pages are read, and more than can be read is not taken for nothing', async () => {
    const { adapter, order } = open.tronsave
    const want = order({ energy: 79_000n })
    await placed(want)
    for (let more = 0; more < 60; more++) await open.tronsave.market.place(wish())
    const lost = { ...want, orderId: null }
    expect(await adapter.lookUp(lost)).toMatchObject({ state: 'delivered' })
    for (let more = 0; more < 240; more++) await open.tronsave.market.place(wish())
    expect(await adapter.lookUp(lost)).toMatchObject({ state: 'unknown' })
  })

  const wish = () => ({ receiver: open.tronsave.order().receiver, energy: 32_000n, cost: 1n })
})

describe('control', () => {
  const control = (method: string, body?: string) =>
    fetch(open.catfee.controlUrl, { method, ...(body && { body }) })

  test('shows and changes the script', async () => {
    const changed = await control('POST', '{"behaviour":"late","price_sun":21,"capacity":5}')
    expect(await changed.json()).toMatchObject({ behaviour: 'late', price_sun: 21, capacity: 5 })
    await control('POST', '{"price_sun":18}')
    const shown = await (await control('GET')).json()
    expect(shown).toMatchObject({ name: 'catfee', behaviour: 'late', price_sun: 18, delay_ms: 0 })
  })

  test.each([
    '{"behaviour":"odd"}',
    '{"price_sun":0}',
    '{"capacity":-1}',
    '{"delay_ms":"soon"}',
    '{"colour":1}',
    'nothing',
    '[]',
  ])('%s is refused with a sentence', async (body) => {
    const answer = await control('POST', body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: expect.any(String) })
  })

  test('it answers while the marketplace is down', async () => {
    await open.catfee.script({ behaviour: 'down' })
    expect((await control('GET')).status).toBe(200)
  })
})

test.each(marketplaceNames)('%s: nothing takes more calls than it says', async (name) => {
  let asked = 0
  const { adapterWith, order } = open[name]
  const adapter = adapterWith({
    fetch: (input, init) => {
      asked += 1
      return fetch(input, init)
    },
  })
  const during = async (work: () => Promise<unknown>) => {
    asked = 0
    await work()
    return asked
  }
  const { offer = 1, order: ordering = 1, search = 1 } = adapter.calls ?? {}
  const want = order()
  expect(await during(() => adapter.readOffer())).toBe(offer)
  expect(await during(() => adapter.place(want))).toBe(ordering)
  const lost = { ...want, orderId: null }
  expect(await during(() => adapter.lookUp(lost))).toBeLessThanOrEqual(search)
  expect(await during(() => adapter.lookUp({ ...want, orderId: '1' }))).toBe(1)
})
