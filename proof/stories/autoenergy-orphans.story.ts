// Proves: autoenergy, chain.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// A covered call whose block is orphaned: refunded when it cannot return, billed once when it does.

let app: Coverage
beforeAll(async () => {
  app = await openCoverage()
})
afterAll(() => app.close())

/** A covered wallet with one billed transfer in the newest block. */
async function billedAtHead(body: Record<string, unknown> = {}) {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.cover(client, wallet, body)
  app.mine(SOLID_LAG + 1)
  const txid = await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  await until('billed', async () => (await app.read(client, wallet)).tx_used_total === 1)
  return { client, wallet, txid }
}
/** The transaction that delegates to the wallet; others may be in the pool beside it. */
const delegationTo = (wallet: Wallet) =>
  until('the delegation is in the pool', async () => {
    const moves = await app.database.sql<{ txid: string }>(
      `select txid from delivery.standing_move where address = $1 and kind = 'delegate'`,
      [wallet.address],
    )
    return moves.find(({ txid }) => app.devnet.chain.pool.has(txid))?.txid
  })
const units = async (client: TestAccount) =>
  (await app.entries(client)).filter(({ kind }) => /unit|refund/.test(kind))
const billing = async (client: TestAccount, wallet: Wallet) =>
  (await app.read(client, wallet, '/billing')).map((item: Record<string, string>) => [
    item.kind,
    item.amount_trx,
  ])

test('orphaned for good: refunded, a negative unit in billing, uncounted', async () => {
  const { client, wallet, txid } = await billedAtHead()
  app.devnet.chain.reorg(1, new Set([txid]))
  await app.scanned()
  expect(await units(client)).toEqual([{ kind: 'autoenergy_unit', amount: -2_200_000 }])
  await app.advance(120)
  await app.become(client, wallet, { tx_used_total: 0 })
  expect(await units(client)).toEqual([
    { kind: 'autoenergy_unit', amount: -2_200_000 },
    { kind: 'refund', amount: 2_200_000 },
  ])
  expect(await billing(client, wallet)).toEqual([
    ['autoenergy_unit', '-2.2'],
    ['autoenergy_unit', '2.2'],
    ['autoenergy_activate', '10'],
  ])
  expect(await app.read(client, wallet, '/usage')).toEqual([])
  expect(await app.read(client, wallet)).toMatchObject({
    status: 'active',
    last_activity_at: null,
    energy_used: 0,
  })
})

test('orphaned and back in the new branch: billed once', async () => {
  const { client, wallet, txid } = await billedAtHead()
  app.devnet.chain.reorg(1)
  await app.scanned()
  app.mine(SOLID_LAG + 1)
  await app.advance(120)
  await until('final', async () => {
    const rows = await app.database.sql(
      `select from autoenergy.call where txid = $1 and final and state = 'billed'`,
      [txid],
    )
    return rows.length === 1
  })
  expect(await units(client)).toEqual([{ kind: 'autoenergy_unit', amount: -2_200_000 }])
  expect(await app.read(client, wallet)).toMatchObject({ tx_used_total: 1 })
  expect(await app.events(client, 'autoenergy.delegated')).toHaveLength(1)
})

test('dropped, and sent again later by somebody: billed once', async () => {
  const { client, wallet, txid } = await billedAtHead()
  const { bytes } = app.devnet.chain.transaction(txid)!
  app.devnet.chain.reorg(1, new Set([txid]))
  await app.scanned()
  await app.rooms.chain.node.broadcast(bytes)
  app.mine(SOLID_LAG + 2)
  await app.scanned()
  await app.advance(120)
  await app.rooms.autoenergy.loops[1]!.runOnce()
  expect(await units(client)).toEqual([{ kind: 'autoenergy_unit', amount: -2_200_000 }])
  expect(await app.read(client, wallet)).toMatchObject({ tx_used_total: 1 })
})

test('a close by quota is not undone when its call is gone for good', async () => {
  const { client, wallet, txid } = await billedAtHead({ quota_max_tx: 1 })
  app.devnet.chain.reorg(1, new Set([txid]))
  await app.scanned()
  await app.advance(120)
  const closed = await app.become(client, wallet, { tx_used_total: 0 })
  expect(closed).toMatchObject({ status: 'closed', close_reason: 'quota' })
  expect((await units(client)).map(({ kind }) => kind)).toEqual(['autoenergy_unit', 'refund'])
})

test('the delegation is orphaned: the Energy comes back by itself', async () => {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.subscribe(client, wallet)
  const txid = await delegationTo(wallet)
  app.mine()
  await until('active', async () => (await app.read(client, wallet)).status === 'active')
  app.devnet.chain.reorg(1, new Set([txid]))
  expect((await app.energy(wallet)).limit).toBe(0n)
  await app.whole(wallet)
})

test('the delegation is orphaned for good: made anew, and at the close no more is taken back than there is', async () => {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.subscribe(client, wallet)
  const lost = await delegationTo(wallet)
  app.mine()
  await until('active', async () => (await app.read(client, wallet)).status === 'active')
  app.devnet.chain.reorg(1, new Set([lost]))
  await app.scanned()
  // Past its expiration, so that nobody can send it again.
  await app.advance(200)
  await app.whole(wallet)
  expect(app.devnet.chain.transaction(lost)).toBeUndefined()
  await app.act(client, wallet, 'close')
  await app.reclaimed(wallet)
  expect((await app.energy(wallet)).limit).toBe(0n)
})

test('the delegation is orphaned while a top-up is on its way: reading goes on, and the level comes back', async () => {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.subscribe(client, wallet)
  await delegationTo(wallet)
  app.mine()
  await until('active', async () => (await app.read(client, wallet)).status === 'active')
  await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  app.devnet.chain.reorg(2, new Set([await delegationTo(wallet)]))
  await app.scanned()
  await app.whole(wallet)
  await app.become(client, wallet, { tx_used_total: 1 })
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
