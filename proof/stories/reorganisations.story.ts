// Proves: chain, deposits, ledger.
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestApp, type TestAccount, type TestApp } from '../testing/app.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// Every depth above the solid block, and every outcome of a deposit; the scanner is stopped before
// the branch changes, and a new one finds it changed.

const AMOUNT = 7_000_000
let database: TestDatabase
let devnet: Awaited<ReturnType<typeof openDevnet>>
beforeAll(async () => {
  database = await createTestDatabase()
  devnet = await openDevnet()
})
afterAll(async () => {
  await devnet.close()
  await database.drop()
})

const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) devnet.chain.mine()
}

async function inApp<T>(work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await openTestApp({ database, devnet })
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}

const depositOf = async (app: TestApp, who: TestAccount) =>
  (await app.call('GET', '/v1/deposits', { key: who.api_key })).body.deposits[0]

const kindsOf = (who: TestAccount) =>
  database.sql(
    `select kind, amount_sun::int as amount from ledger.movement where client_id = $1 order by version`,
    [who.account_id],
  )

/** A deposit in one of the newest `depth` blocks, counted from the oldest. */
async function depositInBranch(app: TestApp, depth: number, place: number) {
  const who = await app.newAccount()
  mine(SOLID_LAG + 1)
  mine(place)
  const from = toBase58(devnet.chain.network.funded[0]!.address)
  const body = { from, to: who.deposit_address, amount_sun: AMOUNT }
  const { txid } = (await app.call('POST', '/sandbox/chain/transfer', { body })).body
  mine(depth - place)
  await app.scanned()
  expect(await depositOf(app, who)).toMatchObject({ tx_hash: txid, status: 'confirmed' })
  return { who, txid: txid as string }
}

const depths = Array.from({ length: SOLID_LAG }, (_, index) => index + 1)
const places = depths.flatMap((depth) =>
  Array.from({ length: depth }, (_, place) => [depth, place] as const),
)

test.each(places)(
  'depth %i, deposit in block %i of them, in the new branch too: credited once and final',
  async (depth, place) => {
    const { who } = await inApp((app) => depositInBranch(app, depth, place))
    devnet.chain.reorg(depth)
    await inApp(async (app) => {
      await app.scanned()
      expect(await depositOf(app, who)).toMatchObject({ status: 'confirmed' })
    })
    mine(SOLID_LAG + 1)
    await inApp(async (app) => {
      await until('final', async () => (await depositOf(app, who)).verified_at !== null)
      expect(await kindsOf(who)).toEqual([{ kind: 'deposit', amount: AMOUNT }])
      expect((await app.rooms.ledger.balanceOf(who.account_id)).spendable).toBe(BigInt(AMOUNT))
    })
  },
)

test.each(depths)('depth %i, dropped for good: withheld, then one reversal', async (depth) => {
  const { who, txid } = await inApp((app) => depositInBranch(app, depth, depth - 1))
  devnet.chain.reorg(depth, new Set([txid]))
  await inApp(async (app) => {
    await app.scanned()
    expect(await depositOf(app, who)).toMatchObject({ status: 'pending', credited_at: null })
    expect((await app.rooms.ledger.balanceOf(who.account_id)).spendable).toBe(0n)
  })
  await inApp(async (app) => {
    await app.call('POST', '/sandbox/clock', { body: { advance_seconds: 120 } })
    await until('reverted', async () => (await depositOf(app, who)).status === 'reverted')
    expect(await kindsOf(who)).toEqual([
      { kind: 'deposit', amount: AMOUNT },
      { kind: 'deposit_reversal', amount: AMOUNT },
    ])
    expect((await app.rooms.ledger.balanceOf(who.account_id)).balance).toBe(0n)
  })
})

test.each(depths)('depth %i, dropped and sent again later: credited once', async (depth) => {
  const { who, txid } = await inApp((app) => depositInBranch(app, depth, 0))
  const { bytes } = devnet.chain.transaction(txid)!
  devnet.chain.reorg(depth, new Set([txid]))
  await inApp(async (app) => {
    await app.scanned()
    expect(await depositOf(app, who)).toMatchObject({ status: 'pending' })
    expect(await app.rooms.chain.node.broadcast(bytes)).toMatchObject({ accepted: true })
    mine(2)
    await until('back', async () => (await depositOf(app, who)).status === 'confirmed')
    // Another reorganisation, now that the transfer is in a later block.
    devnet.chain.reorg(2)
  })
  mine(SOLID_LAG + 1)
  await inApp(async (app) => {
    await until('final', async () => (await depositOf(app, who)).verified_at !== null)
    expect(await kindsOf(who)).toEqual([{ kind: 'deposit', amount: AMOUNT }])
    expect((await app.rooms.ledger.balanceOf(who.account_id)).spendable).toBe(BigInt(AMOUNT))
  })
})

test('after all of it the books hold', async () => {
  expect(await brokenInvariants(database)).toEqual([])
})

test('two scanners and two workers at once credit each deposit once', async () => {
  await inApp((one) =>
    inApp(async (two) => {
      const who = await one.newAccount()
      const from = toBase58(devnet.chain.network.funded[1]!.address)
      const body = { from, to: who.deposit_address, amount_sun: 1_000_000 }
      for (let block = 0; block < 25; block++) {
        await one.call('POST', '/sandbox/chain/transfer', { body })
        mine(1)
      }
      mine(SOLID_LAG + 1)
      await Promise.all([one.scanned(), two.scanned()])
      await until('all of them verified', async () => {
        const [row] = await database.sql<{ count: string }>(
          `select count(*) from deposits.deposit where account_id = $1 and verified_at is not null`,
          [who.account_id],
        )
        return row?.count === '25'
      })
      expect(await kindsOf(who)).toHaveLength(25)
      const { balance } = await one.rooms.ledger.balanceOf(who.account_id)
      expect(balance).toBe(25_000_000n)
      expect(await brokenInvariants(database)).toEqual([])
    }),
  )
})
