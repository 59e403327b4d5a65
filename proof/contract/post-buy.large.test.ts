// Proves: orders, delivery, providers.
import type { Devnet } from '@ergon/devnet'
import { parseAddress, toBase58 } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import type { TestAccount } from '../testing/app.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Own stake lies in three accounts, with room for 300,000, 200,000 and 100,000 Energy.

const TRX = 1_000_000
const [sandboxStake, hot] = sandboxGenesis.accounts
const stakes = [30_000, 20_000, 10_000].map((trx, place) => ({
  ...sandboxStake!,
  address: toBase58(`41${String(place + 1).repeat(40)}`),
  frozen_energy_sun: trx * TRX,
}))

let devnet: Devnet
let market: Market
let bazaar: FakeMarketplace
let client: TestAccount

beforeAll(async () => {
  devnet = await openDevnet({ genesis: { accounts: [...stakes, hot!] } as typeof sandboxGenesis })
  bazaar = fakeMarketplace(devnet, { name: 'bazaar', key: 9 })
  const SIGNER_STAKES = stakes.map(({ address }) => `${address}:2`).join(',')
  market = await openMarket({ devnet, marketplaces: [bazaar], signer: { SIGNER_STAKES } })
  client = await market.fundedAccount('1000')
})
afterAll(async () => {
  await market.close()
  await devnet.close()
})
beforeEach(() => sells({ capacity: 0n }))
afterEach(async () => {
  // The hour is over: the stakes are whole again.
  await market.advance(3_700)
  await until('everything is back', async () => {
    await market.mineWhenRead()
    const rows = await market.database.sql(
      `select from delivery.delegation where reclaimed_at is null and provider = 'own_stake'`,
    )
    return rows.length === 0
  })
  expect(await brokenInvariants(market.database)).toEqual([])
})

/** What the marketplace has, dearer than our own stake. */
async function sells({ capacity }: { capacity: bigint }) {
  Object.assign(bazaar, { unitPrice: 20n, capacity, minimum: 0n, behaviour: 'ok' })
  await market.call('POST', '/sandbox/providers/bazaar', { body: { behaviour: 'ok' } })
  await market.provider({ behaviour: 'ok' })
}

const buy = (amount: number, receiver = market.receivers[1]!) =>
  market.buy(client, { body: { receiver_address: receiver, resource_amount: amount } })

async function final(id: string) {
  return until(`order ${id} is final`, async () => {
    await market.mineWhenRead()
    const { body } = await market.get(client, `/order/${id}`)
    return ['COMPLETED', 'FAILED'].includes(body.status) && body
  })
}

const partsOf = (id: string) =>
  market.database.sql<{ provider: string; energy: number; owner: string }>(
    `select p.provider, p.energy::int, d.owner_address as owner from delivery.part p
       join delivery.attempt a on a.part_id = p.id join delivery.delegation d on d.attempt_id = a.id
      where p.request_id = $1 and p.state = 'delivered' order by p.energy desc`,
    [id],
  )

const sum = (parts: { energy: number }[]) => parts.reduce((total, { energy }) => total + energy, 0)

test('an order above the largest stake is shared among several, and the parts sum to the amount', async () => {
  const receiver = market.receivers[2]!
  const { body } = await buy(450_000, receiver)
  const order = await final(body.order_id)
  expect(order).toMatchObject({ status: 'COMPLETED', resource_amount: 450_000 })
  const parts = await partsOf(body.order_id)
  expect(new Set(parts.map(({ owner }) => owner)).size).toBe(2)
  expect(parts.map(({ provider }) => provider)).toEqual(['own_stake', 'own_stake'])
  expect(sum(parts)).toBe(450_000)
  expect(order.delegation_txids).toHaveLength(2)
  const resource = await market.rooms.chain.node.getAccountResource(parseAddress(receiver)!)
  expect(Number(resource!.energyLimit)).toBeGreaterThanOrEqual(450_000)
  const proof = await market.call('GET', `/v1/public/proof/${body.order_id}`)
  expect(sum(proof.body.delegations)).toBe(450_000)
})

test('an order above all our stakes takes the rest from a marketplace', async () => {
  await sells({ capacity: 1_000_000n })
  const { body } = await buy(800_000)
  expect(await final(body.order_id)).toMatchObject({ status: 'COMPLETED' })
  const parts = await partsOf(body.order_id)
  const own = parts.filter(({ provider }) => provider === 'own_stake')
  expect(own).toHaveLength(3)
  // All that our stakes have, but for the margin of each.
  expect(sum(own)).toBeGreaterThan(598_000)
  expect(sum(parts)).toBe(800_000)
})

test('half of it comes: each share counts for half, and the order is refunded whole', async () => {
  const before = await market.balanceSun(client)
  await market.provider({ behaviour: 'partial' })
  const { body } = await buy(450_000)
  expect(await final(body.order_id)).toMatchObject({ status: 'FAILED' })
  expect(await market.balanceSun(client)).toBe(before)
})

test('what is sold is not sold again before the next block', async () => {
  const first = await buy(450_000)
  expect(first.status).toBe(200)
  // No block is mined: the chain still shows the whole stake as free.
  expect((await buy(200_000)).status).toBe(503)
  await until('it is placed', async () => {
    const rows = await market.database.sql(
      `select from delivery.attempt a join delivery.part p on p.id = a.part_id
        where p.request_id = $1 and a.txid is not null`,
      [first.body.order_id],
    )
    return rows.length === 2
  })
  await market.rooms.providers.refresh()
  expect((await buy(200_000)).status).toBe(503)
  const second = await buy(100_000)
  expect(second.status).toBe(200)
  for (const { body } of [first, second]) {
    expect(await final(body.order_id)).toMatchObject({ status: 'COMPLETED' })
  }
})

test('of two purchases at the same moment that do not fit together, one is refused', async () => {
  const answers = await Promise.all([buy(400_000), buy(400_000, market.receivers[3]!)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 503])
  const { body } = answers.find(({ status }) => status === 200)!
  expect(await final(body.order_id)).toMatchObject({ status: 'COMPLETED' })
})

test('503: each purchase of a batch is compared with what those before it have left', async () => {
  await sells({ capacity: 1_000_000n })
  Object.assign(bazaar, { unitPrice: 1_000n })
  await market.provider({ capacity: 65_000 })
  await market.rooms.providers.refresh()
  const batch = async (mode: string) => {
    const purchases = ['first', 'second'].map((name) => ({
      idempotency_key: name,
      receiver_address: market.receivers[1],
      resource_amount: 65_000,
    }))
    const body = { purchases, mode }
    const answer = await market.call('POST', '/v1/buy/batch', { key: client.api_key, body })
    return answer.body.results.map(({ status }: { status: number }) => status)
  }
  expect(await batch('all')).toEqual([409, 503])
  expect(await batch('each')).toEqual([200, 503])
  await market.provider({ capacity: 500_000_000 })
})
