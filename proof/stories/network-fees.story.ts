// Proves: ledger, delivery, deposits.
import type { Devnet } from '@ergon/devnet'
import { parseAddress } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import { formatTrx } from '../../service/kernel/index.ts'
import type { TestAccount } from '../testing/app.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// The stake has no staked bandwidth: after the day's free allowance every delegation burns TRX.

const [stake, hot] = sandboxGenesis.accounts
const { frozen_bandwidth_sun: _, ...poor } = stake! as Required<NonNullable<typeof stake>>
const ORDERS = 4

let devnet: Devnet
let market: Market
let client: TestAccount

beforeAll(async () => {
  devnet = await openDevnet({ genesis: { accounts: [poor, hot!] } as typeof sandboxGenesis })
  market = await openMarket({ devnet })
  client = await market.fundedAccount('1000')
})
afterAll(async () => {
  await market?.close()
  await devnet?.close()
})

const stakeBalance = async () =>
  (await market.rooms.chain.node.getAccount(parseAddress(poor.address!)!))!.balance

async function booked() {
  const [row] = await market.database.sql<{ count: number; amount: string }>(
    `select count(*)::int as count, coalesce(sum(amount_sun), 0)::text as amount from ledger.movement
      where kind = 'network_fee' and debit = 'cost:network' and credit = 'asset:staked'`,
  )
  return { count: row!.count, amount: BigInt(row!.amount) }
}

test('what the network burns for delegations and reclaims is booked, to the SUN, once', async () => {
  const before = await stakeBalance()
  const unused = (await market.rooms.operator.status()).bandwidth
  expect(unused).toMatchObject({
    ok: true,
    now: { left: 600n, ordersLeft: 1n },
    burned: { sun: 0n },
  })
  const surplus = (await market.rooms.deposits.reconciling().reconcile()).surplus
  for (let place = 0; place < ORDERS; place++) {
    const body = { receiver_address: market.receivers[place], resource_amount: 65_000 }
    const bought = await market.buy(client, { body })
    await until('it is completed', async () => {
      await market.mineWhenRead()
      const { body } = await market.get(client, `/order/${bought.body.order_id}`)
      return body.status === 'COMPLETED'
    })
  }
  await market.advance(3_700)
  await until('everything is back', async () => {
    await market.mineWhenRead()
    const rows = await market.database.sql(
      'select from delivery.delegation where reclaimed_at is null',
    )
    return rows.length === 0
  })
  await until('every receipt is read', async () => {
    await market.mineWhenRead()
    const rows = await market.database.sql(
      'select from delivery.network_fee where fee_sun is not null',
    )
    return rows.length === 2 * ORDERS
  })
  const fees = before - (await stakeBalance())
  expect(fees).toBeGreaterThan(0n)
  const once = await booked()
  expect(once.amount).toBe(fees)
  const { bandwidth } = await market.rooms.operator.status()
  expect(bandwidth.burned.sun).toBe(fees)
  expect(bandwidth.sentence).toContain(`${formatTrx(fees)} TRX in`)
  const gauge = (await market.rooms.operator.gauges()).find(
    ({ name }) => name === 'ergon_bandwidth_burned_trx',
  )
  expect(gauge?.value).toBe(Number(fees) / 1e6)
  // Reading old blocks again books nothing twice.
  await market.rooms.chain.rescan(1)
  await market.rooms.delivery.loops.find(({ name }) => name === 'delivery.fees')!.runOnce()
  expect(await booked()).toEqual(once)
  // The fee is paid with our own TRX on the stake: the cover of clients' balances changes only by
  // what they spent.
  const after = await market.rooms.deposits.reconciling().reconcile()
  expect(after.surplus - surplus).toBe(spent(await market.balanceSun(client)))
  expect(await brokenInvariants(market.database)).toEqual([])
})

const spent = (left: bigint) => 1_000_000_000n - left
