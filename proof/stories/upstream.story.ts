import { readFileSync } from 'node:fs'
import type { Devnet } from '@ergon/devnet'
import { extendedPublicKey, parseAddress, toBase58 } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../service/kernel/index.ts'
import { SANDBOX_MNEMONIC_FILE, sandboxGenesis } from '../../service/main/sandboxNetwork.ts'
import { createMarketplaces } from '../../service/providers/index.ts'
import type { TestAccount } from '../testing/house.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Two whole instances on one chain, each with its own database, signer and addresses. The shop has
// little stake: what it sells it buys from the other one, as any client of its would.

const WHOLESALE = 20
const RETAIL = 30

const [stake, hot] = sandboxGenesis.accounts
const smallStake = {
  ...stake!,
  address: toBase58(`41${'5'.repeat(40)}`),
  // Room for 40,000 Energy.
  frozen_energy_sun: 4_010_000_000,
}

let devnet: Devnet
let upstream: Market
let shop: Market
/** The shop's account with the other instance, and a client of the shop. */
let float: TestAccount
let client: TestAccount

beforeAll(async () => {
  const accounts = [stake!, smallStake, hot!]
  devnet = await openDevnet({ genesis: { accounts } as typeof sandboxGenesis })
  upstream = await openMarket({ devnet })
  await upstream.settings({ schedule: flatSchedule(WHOLESALE) })
  float = await upstream.fundedAccount('1000')
  const access = {
    name: 'ergon' as const,
    url: `${upstream.url}/v1`,
    key: float.api_key,
    secret: '',
  }
  shop = await openMarket({
    devnet,
    marketplaces: createMarketplaces([access], { clock: systemClock() }),
    signer: { SIGNER_STAKES: `${smallStake.address}:2` },
    depositXpub: extendedPublicKey(readFileSync(SANDBOX_MNEMONIC_FILE, 'utf8').trim(), 5),
  })
  await shop.settings({ schedule: flatSchedule(RETAIL) })
  client = await shop.fundedAccount('1000')
  await shop.provider({ behaviour: 'down' })
  await until('the other instance is on offer', async () => {
    await shop.rooms.providers.refresh()
    return shop.rooms.providers.offers().some(({ provider }) => provider === 'ergon')
  })
})
afterAll(async () => {
  await shop?.close()
  await upstream?.close()
  await devnet?.close()
})
afterEach(async () => {
  for (const { database } of [shop, upstream]) {
    expect(await brokenInvariants(database)).toEqual([])
  }
})

async function final(id: string) {
  return until(`order ${id} is final`, async () => {
    devnet.chain.mine()
    const { body } = await shop.get(client, `/order/${id}`)
    return ['COMPLETED', 'FAILED'].includes(body.status) && body
  })
}

const attemptsOf = (id: string) =>
  shop.database.sql<{ provider: string; state: string; order_id: string | null }>(
    `select a.provider, a.state, a.order_id from delivery.attempt a
       join delivery.part p on p.id = a.part_id where p.request_id = $1 order by a.id`,
    [id],
  )

test('an order is delivered through another instance: bought there, seen on the chain, booked', async () => {
  const [before, floatBefore] = [await shop.balanceSun(client), await upstream.balanceSun(float)]
  const receiver = shop.receivers[2]!
  const body = { receiver_address: receiver, resource_amount: 65_000 }
  const bought = await shop.buy(client, { body })
  expect(bought.status).toBe(200)
  const order = await final(bought.body.order_id)
  expect(order.status).toBe('COMPLETED')
  expect(before - (await shop.balanceSun(client))).toBe(65_000n * BigInt(RETAIL))

  const [attempt, ...more] = await attemptsOf(bought.body.order_id)
  expect(more).toEqual([])
  expect(attempt).toMatchObject({ provider: 'ergon', state: 'delivered' })
  const there = await upstream.get(float, `/order/${attempt!.order_id}`)
  expect(there.body).toMatchObject({ status: 'COMPLETED', receiver_address: receiver })
  expect(there.body.delegation_txids).toEqual(order.delegation_txids)
  const cost = 65_000n * BigInt(WHOLESALE)
  expect(floatBefore - (await upstream.balanceSun(float))).toBe(cost)
  const [booked] = await shop.database.sql<{ amount: string }>(
    `select amount_sun as amount from ledger.movement
      where kind = 'provider_cost' and debit = 'cost:provider:ergon' and reference_id in
        (select a.id::text from delivery.attempt a join delivery.part p on p.id = a.part_id
          where p.request_id = $1)`,
    [bought.body.order_id],
  )
  expect(BigInt(booked!.amount)).toBe(cost)
  const resource = await shop.rooms.chain.node.getAccountResource(parseAddress(receiver)!)
  expect(resource!.energyLimit).toBeGreaterThanOrEqual(65_000n)
})

test.each(['fail', 'partial'])(
  '%s there: our client gets everything back, and so do we',
  async (behaviour) => {
    const [before, floatBefore] = [await shop.balanceSun(client), await upstream.balanceSun(float)]
    await upstream.provider({ behaviour })
    const bought = await shop.buy(client, { body: { receiver_address: shop.receivers[3] } })
    expect(await final(bought.body.order_id)).toMatchObject({ status: 'FAILED' })
    expect(await shop.balanceSun(client)).toBe(before)
    expect(await upstream.balanceSun(float)).toBe(floatBefore)
    await upstream.provider({ behaviour: 'ok' })
  },
)

test('our own stake and the other instance share an order that neither is asked for alone', async () => {
  await shop.provider({ behaviour: 'ok' })
  const want = { receiver_address: shop.receivers[4], resource_amount: 100_000 }
  const bought = await shop.buy(client, { body: want })
  expect(await final(bought.body.order_id)).toMatchObject({ status: 'COMPLETED' })
  const parts = await shop.database.sql<{ provider: string; energy: number }>(
    'select provider, energy::int from delivery.part where request_id = $1 order by provider',
    [bought.body.order_id],
  )
  expect(parts.map(({ provider }) => provider)).toEqual(['ergon', 'own_stake'])
  expect(parts[0]!.energy + parts[1]!.energy).toBe(100_000)
})
