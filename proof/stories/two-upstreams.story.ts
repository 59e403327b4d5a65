// Proves: providers, delivery, orders, ledger.
import { readFileSync } from 'node:fs'
import type { Devnet } from '@ergon/devnet'
import { extendedPublicKey, toBase58 } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { SANDBOX_MNEMONIC_FILE, sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import { systemClock } from '../../service/kernel/index.ts'
import { createMarketplaces } from '../../service/providers/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Four whole instances on one chain. Two sell Energy of their own stake, the first one cheaper; two shops have no
// stake to speak of, and buy what they sell from the first, or from the second while the first does not sell.

const ENERGY = 65_000n
const RETAIL = 30
const PRICES = { ergon: 20, ergon_2: 24 }
type Name = keyof typeof PRICES
const NAMES = ['ergon', 'ergon_2'] as const

const [stake, hot] = sandboxGenesis.accounts
/** A stake of this many TRX; every instance has keys of its own for its clients' deposits. */
const stakeOf = (digit: number, trx: number) => ({
  ...stake!,
  address: toBase58(`41${String(digit).repeat(40)}`),
  frozen_energy_sun: trx * 1_000_000,
})
const STAKES = [
  stakeOf(5, 50_000_000),
  stakeOf(6, 50_000_000),
  stakeOf(7, 4_010),
  stakeOf(8, 4_010),
]

/** The way from a shop to an upstream. `mute`: requests arrive, their answers are lost. */
type Line = { state: 'up' | 'down' | 'mute' }
type Shop = {
  market: Market
  client: TestAccount
  lines: Record<Name, Line>
  /** Its account at each upstream. */
  floats: Record<Name, TestAccount>
}

let devnet: Devnet
let upstreams: Record<Name, Market>
let shops: Shop[] = []

const instance = (nth: number, more: Parameters<typeof openMarket>[0] = {}) =>
  openMarket({
    devnet,
    signer: { SIGNER_STAKES: `${STAKES[nth]!.address}:2` },
    depositXpub: extendedPublicKey(readFileSync(SANDBOX_MNEMONIC_FILE, 'utf8').trim(), 5 + nth),
    ...more,
  })

function over(line: Line): typeof fetch {
  return async (...request) => {
    if (line.state === 'down') throw new TypeError('connection refused')
    const answer = await fetch(...request)
    if (line.state === 'mute') throw new TypeError('connection reset')
    return answer
  }
}

async function openShop(nth: number): Promise<Shop> {
  const lines = { ergon: { state: 'up' } as Line, ergon_2: { state: 'up' } as Line }
  const floats = {
    ergon: await upstreams.ergon.fundedAccount('100'),
    ergon_2: await upstreams.ergon_2.fundedAccount('100'),
  }
  const marketplaces = NAMES.flatMap((name) => {
    const access = { name, url: `${upstreams[name].url}/v1`, key: floats[name].api_key, secret: '' }
    return createMarketplaces([access], { clock: systemClock(), fetch: over(lines[name]) })
  })
  const market = await instance(nth, { marketplaces })
  await market.settings({ schedule: flatSchedule(RETAIL) })
  const client = await market.fundedAccount('100')
  await market.provider({ behaviour: 'down' })
  return { market, client, lines, floats }
}

beforeAll(async () => {
  const accounts = [...STAKES, hot!]
  devnet = await openDevnet({ genesis: { accounts } as unknown as typeof sandboxGenesis })
  upstreams = { ergon: await instance(0), ergon_2: await instance(1) }
  for (const name of NAMES) {
    await upstreams[name].settings({ schedule: flatSchedule(PRICES[name]) })
  }
  shops = [await openShop(2), await openShop(3)]
})
afterAll(async () => {
  for (const { market } of shops) await market.close()
  for (const market of Object.values(upstreams ?? {})) await market.close()
  await devnet?.close()
})
beforeEach(() => Promise.all(shops.map((shop) => offered(shop, NAMES))))
afterEach(async () => {
  for (const shop of shops) await booksAgree(shop)
  for (const { database } of [...shops.map(({ market }) => market), ...Object.values(upstreams)]) {
    expect(await brokenInvariants(database)).toEqual([])
  }
})

/** The next block, once all four have read the last one. */
async function mineWhenRead() {
  const all = [...Object.values(upstreams), ...shops.map(({ market }) => market)]
  const read = await Promise.all(all.map(({ hasRead }) => hasRead()))
  if (read.every(Boolean)) devnet.chain.mine()
}

/** Waits until exactly these upstreams are on offer at the shop. */
async function offered({ market }: Shop, wanted: readonly Name[]) {
  await until(`on offer: ${wanted}`, async () => {
    await mineWhenRead()
    // This also forgets failures, which keep a provider off for a while.
    for (const name of wanted) {
      await market.call('POST', `/sandbox/providers/${name}`, { body: { behaviour: 'ok' } })
    }
    await market.rooms.providers.refresh()
    const found = new Set<string>(market.rooms.providers.offers().map(({ provider }) => provider))
    return NAMES.every((name) => found.has(name) === wanted.includes(name))
  })
}

async function buy({ market, client }: Shop, nth = 2): Promise<string> {
  const body = { receiver_address: market.receivers[nth] }
  const bought = await market.buy(client, { body })
  expect([bought.status, bought.text]).toEqual([200, expect.anything()])
  return bought.body.order_id
}

async function delivered({ market, client }: Shop, id: string) {
  const order = await until(`order ${id} is final`, async () => {
    await mineWhenRead()
    const { body } = await market.get(client, `/order/${id}`)
    return ['COMPLETED', 'FAILED'].includes(body.status) && body
  })
  expect(order).toMatchObject({ status: 'COMPLETED', error_message: null })
}

type Attempt = { provider: Name; state: string; order_id: string | null }
const attemptsOf = ({ market }: Shop, id = '') =>
  market.database.sql<Attempt>(
    `select a.provider, a.state, a.order_id from delivery.attempt a
       join delivery.part p on p.id = a.part_id where $1 in ('', p.request_id::text) order by a.id`,
    [id],
  )
const boughtAt = async (shop: Shop, id: string) =>
  (await attemptsOf(shop, id)).map(({ provider, state }) => `${provider} ${state}`)

/** The shop's books, those of each upstream, and the shop's orders there say the same, to the SUN. */
async function booksAgree(shop: Shop) {
  const attempts = await attemptsOf(shop)
  for (const name of NAMES) {
    const upstream = upstreams[name]
    const float = shop.floats[name]
    const delivered = attempts.filter((one) => one.provider === name && one.state === 'delivered')
    const cost = BigInt(delivered.length * PRICES[name]) * ENERGY
    expect(await upstream.balanceSun(float)).toBe(100_000_000n - cost)
    const [{ booked } = { booked: '0' }] = await shop.market.database.sql<{ booked: string }>(
      `select coalesce(sum(amount_sun), 0)::text as booked from ledger.movement where credit = $1`,
      [`asset:provider_float:${name}`],
    )
    expect(BigInt(booked)).toBe(cost)
    const { orders } = (await upstream.get(float, '/orders?page_size=100')).body
    const completed = orders.filter(({ status }: { status: string }) => status === 'COMPLETED')
    expect(completed).toHaveLength(delivered.length)
    // Without an id: its answer was lost, and the chain proved the delivery.
    const known = delivered.flatMap(({ order_id }) => order_id ?? [])
    const there = completed.map(({ id }: { id: string }) => id)
    expect(known.filter((id) => !there.includes(id))).toEqual([])
  }
  const sold = (await shop.market.get(shop.client, '/orders')).body.total
  const paid = 100_000_000n - (await shop.market.balanceSun(shop.client))
  expect(paid).toBe(BigInt(sold * RETAIL) * ENERGY)
}

test('both shops buy from the cheaper upstream, each from its own float', async () => {
  const buyCheap = async (shop: Shop) => {
    const id = await buy(shop)
    await delivered(shop, id)
    expect(await boughtAt(shop, id)).toEqual(['ergon delivered'])
  }
  await Promise.all(shops.map(buyCheap))
})

test('the cheaper one stops selling: an order that it refuses is bought from the other one', async () => {
  await upstreams.ergon.settings({ purchases_enabled: false })
  const goOn = async (shop: Shop) => {
    const id = await buy(shop)
    await delivered(shop, id)
    expect(await boughtAt(shop, id)).toEqual(['ergon refused', 'ergon_2 delivered'])
    // With the next offers nobody is sent there in vain.
    await offered(shop, ['ergon_2'])
    const next = await buy(shop, 3)
    await delivered(shop, next)
    expect(await boughtAt(shop, next)).toEqual(['ergon_2 delivered'])
  }
  await Promise.all(shops.map(goOn))
  await upstreams.ergon.settings({ purchases_enabled: true })
})

test('the cheaper one cannot be reached: purchases go on through the other one, and come back', async () => {
  const goOnAndBack = async (shop: Shop) => {
    shop.lines.ergon.state = 'down'
    await offered(shop, ['ergon_2'])
    const id = await buy(shop)
    await delivered(shop, id)
    expect(await boughtAt(shop, id)).toEqual(['ergon_2 delivered'])
    shop.lines.ergon.state = 'up'
    await offered(shop, NAMES)
    const back = await buy(shop, 3)
    await delivered(shop, back)
    expect(await boughtAt(shop, back)).toEqual(['ergon delivered'])
  }
  await Promise.all(shops.map(goOnAndBack))
})

test('it disappears after it has sold: the order is delivered, and bought nowhere else', async () => {
  const [shop, other] = shops as [Shop, Shop]
  shop.lines.ergon.state = 'mute'
  const id = await buy(shop)
  await until('it is bought there', async () => {
    const { orders } = (await upstreams.ergon.get(shop.floats.ergon, '/orders?page_size=1')).body
    return orders[0]?.status === 'PROCESSING' && orders[0]
  })
  shop.lines.ergon.state = 'down'
  // The other shop, whose way is open, goes on.
  await delivered(other, await buy(other, 3))
  // Nobody else is asked for what may have been sold there.
  expect((await attemptsOf(shop, id)).map(({ provider }) => provider)).toEqual(['ergon'])
  shop.lines.ergon.state = 'up'
  await delivered(shop, id)
  expect(await boughtAt(shop, id)).toEqual(['ergon delivered'])
})
