// Proves: books, providers, ledger, delivery.
import type { Devnet } from '@ergon/devnet'
import { parseAddress } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import { parseTrx } from '../../service/kernel/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { openStandIn, type StandIn } from '../testing/standIn.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// A month over three marketplaces, own stake, faults and a fork. What marketplaces charged is asked from their own APIs, over
// HTTP and beside our adapters; when a person has accepted what differs, the report is that sum to the SUN.

const DAYS = 3
const DEPOSIT = '10000'
const IMPATIENT_MS = 700
const NAMES = ['tronsave', 'itrx', 'catfee'] as const
/** Own stake burns TRX for every delegation: it has no bandwidth of its own. */
const [stake, hot] = sandboxGenesis.accounts
const { frozen_bandwidth_sun: _, ...poor } = stake! as Required<NonNullable<typeof stake>>

let devnet: Devnet
let open: StandIn[]
let market: Market
let client: TestAccount
let burnedFrom: bigint
let balancesFrom: Map<string, bigint>
beforeAll(async () => {
  devnet = await openDevnet({ genesis: { accounts: [poor, hot!] } as typeof sandboxGenesis })
  open = await Promise.all(NAMES.map((name) => openStandIn(devnet, name)))
  market = await openMarket({
    devnet,
    marketplaces: open.map((one) => one.adapterWith({ timeoutMs: IMPATIENT_MS })),
    standIns: new Map(open.map(({ name, controlUrl }) => [name, controlUrl])),
  })
  client = await market.fundedAccount(DEPOSIT)
  burnedFrom = await stakeBalance()
  balancesFrom = new Map(await Promise.all(open.map(balanceOf)))
  await compare()
  // Calls of the last minute could be in a balance or not: all of this month's come later than that.
  await market.database.sql(
    `update books.statement_source set anchor_at = anchor_at - interval '2 hours' where way = 'balance'`,
  )
})
afterAll(async () => {
  await market?.close()
  await Promise.all((open ?? []).map((one) => one.close()))
  await devnet?.close()
})

const stakeBalance = async () =>
  (await market.rooms.chain.node.getAccount(parseAddress(poor.address!)!))!.balance

const balanceOf = async (one: StandIn) =>
  [one.name, await one.adapter.readBalance!()] as [string, bigint]

/** By the list of TronSave, page by page; of the others, by what their balance fell. */
async function chargedBy(one: StandIn): Promise<bigint> {
  if (one.name !== 'tronsave') return balancesFrom.get(one.name)! - (await balanceOf(one))[1]
  let sum = 0n
  for (let page = 0; ; page += 1) {
    const url = `${one.url}/v2/orders?page=${page}&pageSize=2`
    const answer = await fetch(url, { headers: { apikey: one.key } })
    const { data } = (await answer.json()) as { data: { data: { payoutAmount: number }[] } }
    for (const order of data.data) sum += BigInt(order.payoutAmount)
    if (data.data.length < 2) return sum
  }
}

/** What each does now; those that are not named are down. */
async function behave(behaviours: Record<string, string>) {
  for (const name of [...NAMES, 'own_stake']) {
    const body = { behaviour: behaviours[name] ?? 'down' }
    expect((await market.call('POST', `/sandbox/providers/${name}`, { body })).status).toBe(200)
  }
}

const orders: string[] = []
async function buy(): Promise<string> {
  const receiver_address = market.receivers[orders.length % market.receivers.length]
  const { body } = await market.buy(client, { body: { receiver_address } })
  orders.push(body.order_id)
  return body.order_id
}
const read = async (id: string) => (await market.get(client, `/order/${id}`)).body
async function ended(id: string) {
  await until(`order ${id} is final`, async () => {
    await market.mineWhenRead()
    return ['COMPLETED', 'FAILED'].includes((await read(id)).status)
  })
}

/** A purchase whose deadline passes. */
async function failed() {
  const id = await buy()
  await until('it was called', async () => {
    const [row] = await market.database.sql(
      `select from delivery.attempt a join delivery.part p on p.id = a.part_id
        where p.request_id = $1 and a.state in ('sent', 'unknown')`,
      [id],
    )
    return row
  })
  await market.advance(125)
  await ended(id)
}

const stretches: (() => Promise<void>)[] = [
  async () => {
    for (const name of [...NAMES, 'own_stake']) {
      await behave({ [name]: 'ok' })
      await ended(await buy())
      await ended(await buy())
    }
  },
  async () => {
    for (const name of NAMES) {
      await behave({ [name]: 'timeout_after_accept' })
      await ended(await buy())
    }
  },
  // Half of it, and the other half from own stake. The marketplace gives half of its price back.
  async () => {
    await behave({ itrx: 'partial', own_stake: 'ok' })
    const dearer = { behaviour: 'ok', price_sun: 21 }
    await market.call('POST', '/sandbox/providers/own_stake', { body: dearer })
    await ended(await buy())
    expect(open[1]!.market.orders.at(-1)).toMatchObject({ behaviour: 'partial' })
  },
  // Refunded at the deadline, delivered afterwards: goodwill.
  async () => {
    await behave({ catfee: 'late' })
    await failed()
    await market.advance(60)
    await until('the late Energy is booked', async () => {
      await market.mineWhenRead()
      const late = `select from ledger.movement where kind = 'provider_goodwill'`
      return (await market.database.sql(late)).length === 1
    })
  },
  // Charged, never delegated, and in no book of ours.
  async () => {
    await behave({ tronsave: 'lost_delegation' })
    await failed()
    await behave({ itrx: 'lost_delegation' })
    await failed()
  },
  async () => {
    await behave({ tronsave: 'ok' })
    await ended(await buy())
    devnet.chain.reorg(1, new Set())
    await market.scanned()
  },
]

async function compare(): Promise<void> {
  const { statements } = market.rooms
  await until('all are known', async () => (await statements.sources()).length === NAMES.length)
  await statements.ask()
  await until('all are compared', async () => {
    await statements.loop.runOnce()
    const now = (await market.database.sql<{ at: Date }>('select db.business_now() as at'))[0]!.at
    const sources = await statements.sources()
    return sources.every((one) => one.dueAt > now && !one.isReading && one.trouble === null)
  })
}

const costs = async () => {
  const to = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10)
  const report = await market.rooms.books.report({ from: '2020-01-01', to }, ['provider'])
  const paidTo = (name: string) =>
    report.rows
      .filter(({ provider }) => provider === name)
      .reduce((sum, row) => sum + row.providerCost + row.goodwill, 0n)
  return { report, paid: NAMES.map((name) => [name, paidTo(name)]) }
}

test('the report of a month is what their statements say, when what differs was accepted', async () => {
  for (const stretch of stretches) {
    await stretch()
    await behave({ tronsave: 'ok', itrx: 'ok', catfee: 'ok', own_stake: 'ok' })
    await market.advance(DAYS * 86_400)
  }
  await until('all is over', async () => {
    await market.mineWhenRead()
    const [row] = await market.database.sql<{ open: string }>(
      `select (select count(*) from delivery.network_fee where fee_sun is null)
            + (select count(*) from delivery.attempt where state in ('sending', 'sent', 'unknown'))
            + (select count(*) from delivery.delegation where provider = 'own_stake' and reclaimed_at is null) as open`,
    )
    return row!.open === '0'
  })
  // A delegation that no block holds may wait for a person: what they decide comes before what was charged for it.
  const { undecided } = market.rooms.delivery
  for (const { attempt } of await undecided.list()) {
    await undecided.decide(attempt, { as: 'absent' }, 'ann', 'it is on no block')
  }
  // Where a balance is compared, calls of the last minute may or may not be in it. A list is compared by time instead.
  await market.database.sql(
    `update delivery.attempt set called_at = called_at - interval '1 hour' where provider <> 'tronsave'`,
  )

  const charged = await Promise.all(
    open.map(async (one) => [one.name, await chargedBy(one)] as const),
  )
  const before = await costs()
  expect(before.paid).not.toEqual(charged)
  // Twice: the first may be one that was under way, when calls were not an hour old yet.
  await compare()
  await compare()
  const { statements } = market.rooms
  const found = await statements.differences({ waiting: true })
  expect(found.map(({ provider, kind }) => `${provider} ${kind}`).toSorted()).toEqual([
    'itrx balance',
    'tronsave other_amount',
  ])
  for (const { id } of found) {
    const said = { by: 'ann', why: 'their statement' }
    expect(typeof (await statements.decide({ id, as: 'accept', ...said }))).toBe('object')
  }
  await compare()
  expect(await statements.differences({ waiting: true })).toEqual([])

  const { report, paid } = await costs()
  expect(paid).toEqual(charged)
  const burned = burnedFrom - (await stakeBalance())
  expect(report.total.networkFees).toBe(burned)
  const spent = parseTrx(DEPOSIT)! - (await market.balanceSun(client))
  const theirs = charged.reduce((sum, [, amount]) => sum + amount, 0n)
  expect(report.total.margin).toBe(spent - theirs - burned)
  expect(report.check.different).toEqual([])
})
