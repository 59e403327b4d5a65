// Proves: autoenergy.
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestAccount } from '../testing/app.ts'
import { type Coverage, newcomer, openCoverage, type Wallet } from '../testing/autoenergy.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'

// A covered call that returns on another branch with another receipt: larger, or without our
// Energy. A USDT transfer is small while its receiver holds USDT; without the transfer that gave it
// some, the same transfer is large.

const SMALL = { kind: 'autoenergy_unit', amount: -2_200_000 }
const LARGE = { kind: 'autoenergy_unit', amount: -4_400_000 }

let app: Coverage
let giver: Wallet
beforeAll(async () => {
  app = await openCoverage()
  giver = app.wallet()
})
afterAll(() => app.close())

const units = async (client: TestAccount) =>
  (await app.entries(client)).filter(({ kind }) => /unit|refund/.test(kind))

/** A covered wallet, and two transfers in one block: the first makes the second one small. */
async function covered() {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  const { id } = await app.cover(client, wallet)
  app.mine(SOLID_LAG + 1)
  await app.scanned()
  await app.whole(wallet)
  const receiver = await newcomer()
  const pay = async () => ({
    gift: await giver.sendUsdt(receiver),
    txid: await wallet.sendUsdt(receiver),
  })
  return { client, wallet, id: id as string, pay }
}

/** Makes the transaction final: its block is solid, and it can no longer be mined again. */
async function final(txid: string) {
  app.mine(SOLID_LAG + 1)
  await app.scanned()
  await app.advance(120)
  return until('final', async () => {
    const rows = await app.database.sql<{ state: string; energy: number }>(
      `select state, energy::int from autoenergy.call where txid = $1 and final`,
      [txid],
    )
    return rows[0]
  })
}

const sizeOf = (txid: string) => {
  const { receipt } = app.devnet.chain.transaction(txid)!.info
  return Number((receipt as Record<string, unknown>).energy_usage_total)
}

/** Locks the subscription while `work` runs: blocks are read, and nothing is decided. */
async function undecided(id: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: app.database.url('ergon_admin') })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select from autoenergy.subscription where id = $1 for no key update', [id])
    await work()
  } finally {
    await client.query('rollback')
    await client.end()
  }
}

test('billed, orphaned, and back as a larger one: billed once, by its first receipt', async () => {
  const { client, wallet, pay } = await covered()
  const { gift, txid } = await pay()
  app.mine()
  await until('billed', async () => (await app.read(client, wallet)).tx_used_total === 1)
  expect(sizeOf(txid)).toBeLessThan(65_000)
  app.devnet.chain.reorg(1, new Set([gift]))
  await app.scanned()
  expect(sizeOf(txid)).toBeGreaterThan(65_000)
  expect(await final(txid)).toMatchObject({ state: 'billed' })
  expect(await units(client)).toEqual([SMALL])
  expect(await app.read(client, wallet)).toMatchObject({ tx_used_total: 1 })
  expect(await app.events(client, 'autoenergy.delegated')).toHaveLength(1)
})

test('orphaned before it was decided, and back as a larger one: billed once, by its new receipt', async () => {
  const { client, wallet, id, pay } = await covered()
  const { gift, txid } = await pay()
  await undecided(id, async () => {
    app.mine()
    await app.scanned()
    app.devnet.chain.reorg(1, new Set([gift]))
    await app.scanned()
    expect(await units(client)).toEqual([])
  })
  await until('billed', async () => (await app.read(client, wallet)).tx_used_total === 1)
  expect(await final(txid)).toMatchObject({ state: 'billed', energy: sizeOf(txid) })
  expect(sizeOf(txid)).toBeGreaterThan(65_000)
  expect(await units(client)).toEqual([LARGE])
  expect(await app.events(client, 'autoenergy.delegated')).toHaveLength(1)
})

test('back on a branch without our Energy: it burned its own TRX, so the charge comes back', async () => {
  const client = await app.fundedAccount('100')
  const wallet = app.wallet()
  await app.subscribe(client, wallet)
  // By its txid: wallets of earlier tests may be topped up meanwhile.
  const delegation = await until('the delegation is in the pool', async () => {
    const [move] = await app.database.sql<{ txid: string }>(
      `select txid from delivery.standing_move where address = $1`,
      [wallet.address],
    )
    return move && app.devnet.chain.pool.has(move.txid) && move.txid
  })
  app.mine()
  await until('active', async () => (await app.read(client, wallet)).status === 'active')
  const txid = await wallet.sendUsdt(app.receivers[9]!)
  app.mine()
  await until('billed', async () => (await app.read(client, wallet)).tx_used_total === 1)
  const depth = app.devnet.chain.head.number - blockOf(delegation) + 1
  app.devnet.chain.reorg(depth, new Set([delegation]))
  await app.scanned()
  expect(app.devnet.chain.transaction(txid)!.info.receipt).not.toHaveProperty('energy_usage')
  expect(await final(txid)).toMatchObject({ state: 'reversed' })
  expect(await units(client)).toEqual([SMALL, { kind: 'refund', amount: 2_200_000 }])
  expect(await app.read(client, wallet)).toMatchObject({ status: 'active', tx_used_total: 0 })
  await app.whole(wallet)
})

const blockOf = (txid: string) => Number(app.devnet.chain.transaction(txid)!.info.blockNumber)

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(app.database)).toEqual([])
})
