// Proves: autoenergy, chain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import type { TestAccount } from '../testing/house.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// A covered call whose block does not stay: paid back when it cannot return, billed once when it does.

let house: Coverage
beforeAll(async () => {
  house = await openCoverage()
})
afterAll(() => house.close())

/** Covered, with one transfer billed in the newest block. */
async function billedAtHead(body: Record<string, unknown> = {}) {
  const client = await house.fundedAccount('100')
  const wallet = house.wallet()
  await house.cover(client, wallet, body)
  house.mine(SOLID_LAG + 1)
  const txid = await wallet.sendUsdt(house.receivers[9]!)
  house.mine()
  await until('billed', async () => (await house.read(client, wallet)).tx_used_total === 1)
  return { client, wallet, txid }
}
const units = async (client: TestAccount) =>
  (await house.entries(client)).filter(({ kind }) => /unit|refund/.test(kind))
const billing = async (client: TestAccount, wallet: Wallet) =>
  (await house.read(client, wallet, '/billing')).map((item: Record<string, string>) => [
    item.kind,
    item.amount_trx,
  ])

test('orphaned for good: refunded, a negative unit in billing, uncounted', async () => {
  const { client, wallet, txid } = await billedAtHead()
  house.devnet.chain.reorg(1, new Set([txid]))
  await house.scanned()
  expect(await units(client)).toEqual([{ kind: 'autoenergy_unit', amount: -2_200_000 }])
  await house.advance(120)
  await house.become(client, wallet, { tx_used_total: 0 })
  expect(await units(client)).toEqual([
    { kind: 'autoenergy_unit', amount: -2_200_000 },
    { kind: 'refund', amount: 2_200_000 },
  ])
  expect(await billing(client, wallet)).toEqual([
    ['autoenergy_unit', '-2.2'],
    ['autoenergy_unit', '2.2'],
    ['autoenergy_activate', '10'],
  ])
  expect(await house.read(client, wallet, '/usage')).toEqual([])
  expect(await house.read(client, wallet)).toMatchObject({
    status: 'active',
    last_activity_at: null,
    energy_used: 0,
  })
})

test('orphaned and back in the new branch: billed once', async () => {
  const { client, wallet, txid } = await billedAtHead()
  house.devnet.chain.reorg(1)
  await house.scanned()
  house.mine(SOLID_LAG + 1)
  await house.advance(120)
  await until('final', async () => {
    const rows = await house.database.sql(
      `select from autoenergy.call where txid = $1 and final and state = 'billed'`,
      [txid],
    )
    return rows.length === 1
  })
  expect(await units(client)).toEqual([{ kind: 'autoenergy_unit', amount: -2_200_000 }])
  expect(await house.read(client, wallet)).toMatchObject({ tx_used_total: 1 })
  expect(await house.events(client, 'autoenergy.delegated')).toHaveLength(1)
})

test('dropped, and sent again later by somebody: billed once', async () => {
  const { client, wallet, txid } = await billedAtHead()
  const { bytes } = house.devnet.chain.transaction(txid)!
  house.devnet.chain.reorg(1, new Set([txid]))
  await house.scanned()
  await house.rooms.chain.node.broadcast(bytes)
  house.mine(SOLID_LAG + 2)
  await house.scanned()
  await house.advance(120)
  await house.rooms.autoenergy.loops[1]!.runOnce()
  expect(await units(client)).toEqual([{ kind: 'autoenergy_unit', amount: -2_200_000 }])
  expect(await house.read(client, wallet)).toMatchObject({ tx_used_total: 1 })
})

test('a close by quota is not undone when its call is gone for good', async () => {
  const { client, wallet, txid } = await billedAtHead({ quota_max_tx: 1 })
  house.devnet.chain.reorg(1, new Set([txid]))
  await house.scanned()
  await house.advance(120)
  const closed = await house.become(client, wallet, { tx_used_total: 0 })
  expect(closed).toMatchObject({ status: 'closed', close_reason: 'quota' })
  expect((await units(client)).map(({ kind }) => kind)).toEqual(['autoenergy_unit', 'refund'])
})

test('the delegation is orphaned: the Energy comes back by itself', async () => {
  const client = await house.fundedAccount('100')
  const wallet = house.wallet()
  await house.subscribe(client, wallet)
  await until('the delegation is in the pool', () => house.devnet.chain.pool.size > 0)
  const [txid] = [...house.devnet.chain.pool.keys()]
  house.mine()
  await until('active', async () => (await house.read(client, wallet)).status === 'active')
  house.devnet.chain.reorg(1, new Set([txid!]))
  expect((await house.energy(wallet)).limit).toBe(0n)
  await house.whole(wallet)
})

test('the delegation is orphaned for good: made anew, and at the close no more is taken back than there is', async () => {
  const client = await house.fundedAccount('100')
  const wallet = house.wallet()
  await house.subscribe(client, wallet)
  await until('the delegation is in the pool', () => house.devnet.chain.pool.size > 0)
  const [lost] = [...house.devnet.chain.pool.keys()]
  house.mine()
  await until('active', async () => (await house.read(client, wallet)).status === 'active')
  house.devnet.chain.reorg(1, new Set([lost!]))
  await house.scanned()
  // Past its expiration, whoever sends it again.
  await house.advance(200)
  await house.whole(wallet)
  expect(house.devnet.chain.transaction(lost!)).toBeUndefined()
  await house.act(client, wallet, 'close')
  await house.reclaimed(wallet)
  expect((await house.energy(wallet)).limit).toBe(0n)
})

test('the delegation is orphaned while a top-up is on its way: reading goes on, and the level comes back', async () => {
  const client = await house.fundedAccount('100')
  const wallet = house.wallet()
  await house.subscribe(client, wallet)
  await until('the delegation is in the pool', () => house.devnet.chain.pool.size > 0)
  house.mine()
  await until('active', async () => (await house.read(client, wallet)).status === 'active')
  await wallet.sendUsdt(house.receivers[9]!)
  house.mine()
  await until('the top-up is in the pool', () => house.devnet.chain.pool.size > 0)
  const topUp = new Set(house.devnet.chain.pool.keys())
  house.devnet.chain.reorg(2, topUp)
  await house.scanned()
  await house.whole(wallet)
  await house.become(client, wallet, { tx_used_total: 1 })
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(house.database)).toEqual([])
})
