// Proves: staking, ledger.
import { rmSync } from 'node:fs'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sun, sun } from '../../service/kernel/index.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { brokenInvariants } from '../testing/invariants.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { BLOCK_MS, openPassingTime, type PassingTime } from '../testing/passingTime.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { bookedOn } from '../testing/treasuryBooks.ts'
import { until } from '../testing/until.ts'
import { votingFolder } from '../testing/votingFolder.ts'

// Rewards are claimed without anybody asking, from CLAIM_MIN_TRX on and once in 24 hours.

const HOUR = 3_600
let time: PassingTime
let market: Market
let database: TestDatabase
let folder: string
let witness: string
let least: Sun

const staking = () => market.rooms.staking
const mine = (blocks = 1) => time.pass(blocks * 3)
const stakeNow = async () => (await staking().stakes())[0]!.stake
const claims = async () => (await staking().list(20)).filter(({ action }) => action === 'claim')

async function open(claimMin?: Sun) {
  market = await openMarket({
    database,
    devnet: time.devnet,
    runtime: time.newRuntime(),
    blockMs: BLOCK_MS,
    signer: { SIGNER_DIR: folder },
    claimMin,
  })
}

/** Several times, also at once, as in several processes. */
async function proposed() {
  await until('the scanner is at the head', async () => {
    await market.scanned()
    await market.rooms.chain.lag.look()
    return market.rooms.chain.lag.behind() === undefined
  })
  const propose = staking().loops.find(({ name }) => name === 'staking.propose')!
  await Promise.all([propose.runOnce(), propose.runOnce()])
  await propose.runOnce()
  return claims()
}

/** Until nothing is under way. */
async function ended() {
  await until('it has ended', async () => {
    staking().wake()
    mine()
    await market.scanned()
    return (await staking().list(20)).every(({ state }) => state === 'done')
  })
  mine(SOLID_LAG + 2)
  await market.scanned()
}

beforeAll(async () => {
  time = await openPassingTime()
  witness = toBase58(time.devnet.chain.network.witness.address)
  folder = votingFolder(time.devnet, [witness])
  database = await createTestDatabase()
  await open()
})
afterAll(async () => {
  await market.close()
  await time.devnet.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

test('without a least amount nothing is claimed, and below it neither', async () => {
  const wish = {
    stake: '',
    action: 'vote',
    shares: [witness],
    reason: 'a test',
    by: 'ann',
  } as const
  await until('a vote', async () => 'id' in (await staking().request(wish)))
  await ended()
  // Votes count from the next period of six hours on, and earn until its end.
  for (let period = 0; period < 3; period++) time.skip(6 * HOUR)
  expect(await proposed()).toEqual([])
  const { reward } = await stakeNow()
  expect(reward).toBeGreaterThan(0n)
  least = sun(reward)
  await market.close()
  await open(sun(reward + 1n))
  expect(await proposed()).toEqual([])
  await market.close()
})

test('at the least amount they are claimed once, and booked once', async () => {
  await open(least)
  const { reward, spendable } = await stakeNow()
  expect(reward).toBe(least)
  const rows = await proposed()
  expect(rows).toMatchObject([{ requestedBy: 'ergon', needsApproval: false }])
  await ended()
  const [row] = await proposed()
  expect(row).toMatchObject({ id: rows[0]!.id, state: 'done', moved: reward })
  expect(await claims()).toHaveLength(1)
  expect(await stakeNow()).toMatchObject({ reward: 0n, spendable: spendable + reward - row!.fee! })
  expect(await bookedOn(database, 'income:rewards')).toBe(-reward)
  expect(await brokenInvariants(database)).toEqual([])
})

test('as much again is claimed when 24 hours have passed, not before', async () => {
  const { claimableFrom } = await stakeNow()
  const now = () => time.devnet.chain.head.timestamp
  mine(200)
  for (let period = 0; period < 3; period++) time.skip(6 * HOUR)
  const { reward } = await stakeNow()
  expect(reward).toBeGreaterThanOrEqual(least)
  expect(now()).toBeLessThan(claimableFrom.getTime())
  expect(await proposed()).toHaveLength(1)
  time.skip((claimableFrom.getTime() - now()) / 1_000 + 60)
  expect(await proposed()).toHaveLength(2)
  await ended()
  const rows = await proposed()
  expect(rows).toHaveLength(2)
  const moved = rows.reduce((sum, one) => sum + one.moved!, 0n)
  expect(await bookedOn(database, 'income:rewards')).toBe(-moved)
  expect(
    await database.sql(`select count(*)::int as count from ledger.movement where kind = 'reward'`),
  ).toEqual([{ count: 2 }])
  expect(await brokenInvariants(database)).toEqual([])
})
