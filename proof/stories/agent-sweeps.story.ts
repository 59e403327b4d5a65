// Proves: agent, deposits.
import { toHex } from '@ergon/tron'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { SANDBOX_HOT_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { sun } from '../../service/kernel/index.ts'
import { type AgentMarket, BASE, openAgentMarket } from '../testing/agent.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { stretched } from '../testing/stretched.ts'
import { until } from '../testing/until.ts'

// Payments of customers to a dedicated address are credited to the client at once, and later swept
// to the hot wallet.

const WITHIN_MS = 50_000
vi.setConfig({ testTimeout: stretched(150_000) })

let market: AgentMarket
beforeAll(async () => {
  market = await openAgentMarket({ sweepMin: sun(10_000_000n) })
})
afterAll(() => market?.close())

const balanceAt = (address: string) =>
  market.rooms.chain.node.getAccount(toHex(address)).then((account) => account?.balance ?? 0n)
const sweepOf = async (address: string) =>
  (
    await market.database.sql<{ state: string; txid: string; amount_sun: string }>(
      `select state, txid, amount_sun from deposits.sweep where address = $1 order by id`,
      [address],
    )
  ).at(-1)

/** Mines a block only when the last one is read, so that the scanner never lags. */
const mineUntil = <T>(what: string, condition: () => Promise<T | undefined | false>) =>
  until(
    what,
    async () => {
      const at = await market.rooms.chain.progress()
      if (at?.number === market.devnet.chain.head.number) market.mine()
      return condition()
    },
    WITHIN_MS,
  )

test('agent revenue is swept whole and booked once; a wallet of the client is never touched', async () => {
  const before = await balanceAt(SANDBOX_HOT_ADDRESS)
  const shop = await market.fundedAccount('200')
  const dedicated = await market.newConfig(shop, { mode: 'generated', address: undefined })
  const own = await market.newConfig(shop)
  const paid = 4 * BASE
  await market.pay(dedicated, paid)
  await market.pay(own, paid, 1)
  const sweep = await mineUntil('both sweeps are booked', async () => {
    const newest = await sweepOf(dedicated.address)
    // Wait for the sweep of the client's deposit too, so that the sum is exact.
    const deposit = await sweepOf(shop.deposit_address)
    return newest?.state === 'booked' && deposit?.state === 'booked' && newest
  })
  expect(sweep.amount_sun).toBe(String(paid))
  expect(await balanceAt(dedicated.address)).toBe(0n)
  expect(await balanceAt(own.address)).toBe(BigInt(paid))
  expect(await sweepOf(own.address)).toBeUndefined()
  const movements = await market.database.sql(
    `select kind, debit, credit, amount_sun from ledger.movement where reference_id = $1`,
    [sweep.txid],
  )
  expect(movements).toEqual([
    {
      kind: 'sweep',
      debit: 'asset:hot',
      credit: 'asset:deposit_addresses',
      amount_sun: String(paid),
    },
  ])
  expect(await balanceAt(SANDBOX_HOT_ADDRESS)).toBe(before + BigInt(paid) + 200_000_000n)
  const revenue = (await market.get(shop, '/transactions')).body.transactions.filter(
    (entry: { entry_type: string }) => entry.entry_type === 'agent_revenue',
  )
  expect(revenue.map((entry: { amount_sun: number }) => entry.amount_sun)).toEqual([paid])
  expect(await brokenInvariants(market.database)).toEqual([])
})
