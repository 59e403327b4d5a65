// Proves: providers, delivery.
import { readFileSync } from 'node:fs'
import type { Devnet } from '@ergon/devnet'
import { extendedPublicKey, parseAddress, toBase58 } from '@ergon/tron'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { SANDBOX_MNEMONIC_FILE, sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import { systemClock } from '../../service/kernel/index.ts'
import { createMarketplaces } from '../../service/providers/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { flatSchedule, type Market, openMarket } from '../testing/market.ts'
import { outcomes } from '../testing/outcomes.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Two whole instances on one chain, each with its own database, signer and addresses. The shop has
// little stake: it buys what it sells from the other one, as a client does.

const WHOLESALE = 20
const RETAIL = 30

const [stake, hot] = sandboxGenesis.accounts
const smallStake = {
  ...stake!,
  address: toBase58(`41${'5'.repeat(40)}`),
  // Enough for 40,000 Energy.
  frozen_energy_sun: 4_010_000_000,
}

let devnet: Devnet
let upstream: Market
let shop: Market
/** The shop's account at the other instance, and a client of the shop. */
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
beforeEach(async () => {
  await upstream.provider({ behaviour: 'ok', delay_ms: 0 })
  // This also resets the recorded failures of the other instance.
  await shop.call('POST', '/sandbox/providers/ergon', { body: { behaviour: 'ok' } })
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

/** The cost of an order at the other instance, as we booked it. */
const bookedFor = (id: string) =>
  shop.database.sql<{ kind: string; amount: number }>(
    `select m.kind, m.amount_sun::int as amount from ledger.movement m
       join delivery.attempt a on a.id::text = m.reference_id join delivery.part p on p.id = a.part_id
      where p.request_id = $1 and m.credit = 'asset:provider_float:ergon'`,
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
  expect(await bookedFor(bought.body.order_id)).toEqual([
    { kind: 'provider_cost', amount: Number(cost) },
  ])
  const resource = await shop.rooms.chain.node.getAccountResource(parseAddress(receiver)!)
  expect(resource!.energyLimit).toBeGreaterThanOrEqual(65_000n)
})

// Each ends here by our own deadline, and there by theirs. The test above covers success.
test.each(outcomes.filter(([behaviour]) => behaviour !== 'ok'))(
  '%s there: %s here, and both are charged once or refunded whole',
  async (...row) => {
    const [behaviour, status, seconds] = row
    const [before, floatBefore] = [await shop.balanceSun(client), await upstream.balanceSun(float)]
    await upstream.provider({ behaviour })
    const { body } = await shop.buy(client, { body: { receiver_address: shop.receivers[3] } })
    const id = body.order_id as string
    const { order_id } = await until('it is bought there', async () => {
      const [attempt] = await attemptsOf(id)
      return attempt?.order_id !== null && attempt
    })
    if (seconds > 0) await shop.advance(seconds)
    expect(await final(id)).toMatchObject({ status })
    if (seconds > 0) await upstream.advance(seconds)
    const there = await until('it is final there', async () => {
      devnet.chain.mine()
      const order = (await upstream.get(float, `/order/${order_id}`)).body
      return ['COMPLETED', 'FAILED'].includes(order.status) && order
    })
    expect(there.status).toBe(status)
    if (behaviour === 'late') await comeLate(order_id!)
    const [paid, cost] = status === 'COMPLETED' ? [RETAIL, WHOLESALE] : [0, 0]
    expect(before - (await shop.balanceSun(client))).toBe(65_000n * BigInt(paid))
    expect(floatBefore - (await upstream.balanceSun(float))).toBe(65_000n * BigInt(cost))
    const [attempt, ...more] = await until('it is settled here', async () => {
      devnet.chain.mine()
      const rows = await attemptsOf(id)
      return ['delivered', 'absent', 'partial'].includes(rows[0]!.state) && rows
    })
    expect(more).toEqual([])
    expect(attempt!.state).toBe(status === 'COMPLETED' ? 'delivered' : 'absent')
    expect(await bookedFor(id)).toEqual(
      cost > 0 ? [{ kind: 'provider_cost', amount: 65_000 * cost }] : [],
    )
  },
)

/** 180 seconds after it was placed there, one delegation still reaches the chain. */
async function comeLate(order: string) {
  // The last step is small: a transaction built before a jump of a minute has expired after it.
  await upstream.advance(50)
  await upstream.advance(10)
  await until('it came, and is taken back', async () => {
    devnet.chain.mine()
    const rows = await upstream.database.sql(
      `select from delivery.delegation d join delivery.attempt a on a.id = d.attempt_id
         join delivery.part p on p.id = a.part_id
        where p.request_id = $1 and d.reclaimed_at is not null`,
      [order],
    )
    return rows.length === 1
  })
}

test('delivered there after our deadline: our client has his price back, and we bear it', async () => {
  const [before, floatBefore] = [await shop.balanceSun(client), await upstream.balanceSun(float)]
  await upstream.provider({ behaviour: 'ok', delay_ms: 60_000 })
  const { body } = await shop.buy(client, { body: { receiver_address: shop.receivers[5] } })
  await until('it is held back there', async () => {
    const rows = await upstream.database.sql(
      'select from delivery.attempt where act_at is not null',
    )
    return rows.length === 1
  })
  await shop.advance(125)
  expect(await final(body.order_id)).toMatchObject({ status: 'FAILED' })
  expect(await shop.balanceSun(client)).toBe(before)
  await upstream.advance(55)
  await upstream.advance(6)
  const cost = 65_000 * WHOLESALE
  await until('it is booked', async () => {
    devnet.chain.mine()
    return (await bookedFor(body.order_id)).length > 0
  })
  expect(await bookedFor(body.order_id)).toEqual([{ kind: 'provider_goodwill', amount: cost }])
  expect(floatBefore - (await upstream.balanceSun(float))).toBe(BigInt(cost))
  expect(await shop.balanceSun(client)).toBe(before)
})

test('down there: refused at once, nothing is charged anywhere', async () => {
  const [before, floatBefore] = [await shop.balanceSun(client), await upstream.balanceSun(float)]
  await upstream.provider({ behaviour: 'down' })
  const { body } = await shop.buy(client, { body: { receiver_address: shop.receivers[3] } })
  expect(await final(body.order_id)).toMatchObject({ status: 'FAILED' })
  expect(await attemptsOf(body.order_id)).toMatchObject([{ state: 'refused' }])
  expect(await shop.balanceSun(client)).toBe(before)
  expect(await upstream.balanceSun(float)).toBe(floatBefore)
})

test('our own stake and the other instance share an order that neither is asked for alone', async () => {
  await shop.provider({ behaviour: 'ok' })
  const want = { receiver_address: shop.receivers[4], resource_amount: 100_000 }
  const bought = await shop.buy(client, { body: want })
  expect([bought.status, bought.text]).toEqual([200, expect.anything()])
  expect(await final(bought.body.order_id)).toMatchObject({ status: 'COMPLETED' })
  const parts = await shop.database.sql<{ provider: string; energy: number }>(
    'select provider, energy::int from delivery.part where request_id = $1 order by provider',
    [bought.body.order_id],
  )
  expect(parts.map(({ provider }) => provider)).toEqual(['ergon', 'own_stake'])
  expect(parts[0]!.energy + parts[1]!.energy).toBe(100_000)
})
