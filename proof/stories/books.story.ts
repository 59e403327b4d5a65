// Proves: books, ledger, delivery, orders.
import type { Devnet } from '@ergon/devnet'
import { parseAddress } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import { parseTrx, sun } from '../../service/kernel/index.ts'
import { energyOf } from '../../service/providers/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { type FakeMarketplace, fakeMarketplace } from '../testing/fakeMarketplace.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// A month of sales over three marketplaces and own stake, with faults and forks. The report is compared with what others say: clients'
// balances, the marketplaces' statements, and the TRX that the chain took from our stake.

const DAYS = 3
const DEPOSIT = '1000'
const ADJUSTED = sun(2_000_001n)
/** Own stake burns TRX for every delegation: it has no bandwidth of its own. */
const [stake, hot] = sandboxGenesis.accounts
const { frozen_bandwidth_sun: _, ...poor } = stake! as Required<NonNullable<typeof stake>>

let devnet: Devnet
let market: Market
let fakes: FakeMarketplace[]
let clients: TestAccount[]
let burnedFrom: bigint
beforeAll(async () => {
  devnet = await openDevnet({ genesis: { accounts: [poor, hot!] } as typeof sandboxGenesis })
  const fake = (name: string, key: number, unitPrice: bigint) =>
    fakeMarketplace(devnet, { name, key, unitPrice })
  fakes = [fake('bazaar', 9, 10n), fake('souk', 8, 11n), fake('agora', 7, 13n)]
  market = await openMarket({ devnet, marketplaces: fakes })
  clients = [await market.fundedAccount(DEPOSIT), await market.fundedAccount(DEPOSIT)]
  burnedFrom = await stakeBalance()
})
afterAll(async () => {
  await market?.close()
  await devnet?.close()
})

const stakeBalance = async () =>
  (await market.rooms.chain.node.getAccount(parseAddress(poor.address!)!))!.balance

type Order = { client: TestAccount; id: string }
const orders: Order[] = []
async function buy(energy: number): Promise<Order> {
  const client = clients[orders.length % clients.length]!
  const receiver_address = market.receivers[orders.length % 6]
  const { body } = await market.buy(client, { body: { receiver_address, resource_amount: energy } })
  const order = { client, id: body.order_id as string }
  orders.push(order)
  return order
}
const read = async ({ client, id }: Order) => (await market.get(client, `/order/${id}`)).body

/** Mines until each order has this state, or any final one. */
async function ended(...some: Order[]) {
  for (const order of some) {
    await until('the order is final', async () => {
      await market.mineWhenRead()
      return ['COMPLETED', 'FAILED'].includes((await read(order)).status)
    })
  }
}

/** What the marketplaces do; those that are not named refuse, so that own stake delivers. */
async function behave(...behaviours: FakeMarketplace['behaviour'][]) {
  for (const [place, fake] of fakes.entries()) {
    fake.behaviour = behaviours[place] ?? 'fail'
    await market.call('POST', `/sandbox/providers/${fake.name}`, { body: { behaviour: 'ok' } })
  }
  await market.provider({ behaviour: 'ok', price_sun: 15 })
}

const SOLD = 65_000

/** One stretch of the month each. */
const stretches: (() => Promise<void>)[] = [
  async () => {
    await behave('ok', 'ok', 'ok')
    await ended(await buy(SOLD), await buy(131_001))
  },
  async () => {
    await behave('fail', 'timeout_after_accept')
    await ended(await buy(SOLD))
    await behave()
    // The third is more than the day's free bandwidth.
    await ended(await buy(32_003), await buy(SOLD), await buy(SOLD))
  },
  async () => {
    await behave('partial', 'ok')
    await ended(await buy(SOLD))
    await behave('fail', 'fail', 'ok')
    await ended(await buy(SOLD))
  },
  // Refunded at the deadline, delivered afterwards: goodwill.
  async () => {
    await behave('late')
    const late = await buy(SOLD)
    await until('it was placed', () => fakes[0]!.placed.length > 3)
    await market.advance(125)
    await ended(late)
    fakes[0]!.deliverLate()
    await until('the late Energy is booked', async () => {
      await market.mineWhenRead()
      const [row] = await market.database.sql<{ count: string }>(
        `select count(*) from ledger.movement where kind = 'provider_goodwill'`,
      )
      return row!.count === '1'
    })
  },
  async () => {
    await behave('lost_delegation')
    const lost = await buy(SOLD)
    await market.advance(125)
    await ended(lost)
  },
  // A fork: the delegation is in the new branch again.
  async () => {
    await behave('ok')
    await ended(await buy(SOLD))
    devnet.chain.reorg(1, new Set())
    await market.scanned()
    await behave()
    const own = await buy(SOLD)
    await ended(own)
    devnet.chain.reorg(1, new Set())
    await market.scanned()
  },
]

/** Of all days up to now. */
const report = async () => {
  const day = (at: Date) => at.toISOString().slice(0, 10)
  const { rooms } = market
  const [now] = await market.database.sql<{ at: Date }>('select db.business_now() as at')
  const to = day(new Date(now!.at.getTime() + 86_400_000))
  return rooms.books.report({ from: '2020-01-01', to }, ['provider'])
}

test('the report of a month is what clients paid, marketplaces charged and the chain burned', async () => {
  for (const stretch of stretches) {
    await stretch()
    await market.advance(DAYS * 86_400)
  }
  const { adjustments } = market.rooms.operator
  const want = { account: clients[0]!.account_id, amount: ADJUSTED, reason: 'a complaint' }
  await adjustments.request({ ...want, by: 'ann' })
  await until('every fee is booked', async () => {
    await market.mineWhenRead()
    const [row] = await market.database.sql<{ open: string }>(
      `select (select count(*) from delivery.network_fee where fee_sun is null)
            + (select count(*) from delivery.delegation where provider = 'own_stake' and reclaimed_at is null) as open`,
    )
    return row!.open === '0'
  })

  const { rows, total, check } = await report()
  const { energyLimit, energyWeight } = await totals()
  const charged = (fake: FakeMarketplace) =>
    fake.statement().reduce((sum, { energy, unitPrice, stake }) => {
      const delegated = energyOf(stake, { energyLimit, energyWeight })
      const whole = energy * unitPrice
      return sum + (delegated >= energy ? whole : (whole * delegated) / energy)
    }, 0n)
  const paidTo = (name: string) =>
    rows
      .filter(({ provider }) => provider === name)
      .reduce((sum, row) => sum + row.providerCost + row.goodwill, 0n)
  for (const fake of fakes)
    expect([fake.name, paidTo(fake.name)]).toEqual([fake.name, charged(fake)])

  const burned = burnedFrom - (await stakeBalance())
  expect(burned).toBeGreaterThan(0n)
  expect(total.networkFees).toBe(burned)

  const all = await Promise.all(orders.map(read))
  const priceOf = (status: string) =>
    all.reduce((sum, one) => sum + (one.status === status ? BigInt(one.total_price_sun) : 0n), 0n)
  expect(total).toMatchObject({
    revenue: priceOf('COMPLETED'),
    returned: priceOf('FAILED'),
    completed: BigInt(all.filter(({ status }) => status === 'COMPLETED').length),
    failed: BigInt(all.filter(({ status }) => status === 'FAILED').length),
  })
  expect([total.completed, total.failed]).toEqual([10n, 2n])

  const balances = await Promise.all(clients.map(market.balanceSun))
  const paidIn = parseTrx(DEPOSIT)! * BigInt(clients.length)
  const spent = paidIn - balances.reduce((sum, balance) => sum + balance, 0n)
  const costs = fakes.reduce((sum, fake) => sum + charged(fake), 0n)
  expect(total.margin).toBe(spent - costs - burned)
  expect(check.different).toEqual([])
})

async function totals() {
  const receiver = parseAddress(market.receivers[0]!)!
  const resource = (await market.rooms.chain.node.getAccountResource(receiver))!
  return { energyLimit: resource.totalEnergyLimit, energyWeight: resource.totalEnergyWeight }
}

test('the sums of the month are the same when the worker has counted them', async () => {
  const before = await report()
  // The ledger settles what is two minutes old, by its own clock and by ours.
  await market.advance(180)
  await market.database.sql(`select ledger.add_up('ffffffff-ffff-ffff-ffff-ffffffffffff', 100000)`)
  await market.rooms.books.loop.runOnce()
  const counted = await market.database.sql('select from books.daily')
  expect(counted.length).toBeGreaterThan(10)
  const after = await report()
  expect(after.rows).toEqual(before.rows)
  expect(after.check).toMatchObject({ different: [], uncompared: 0 })
})
