// Proves: staking, deposits, signer.
import { rmSync } from 'node:fs'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyDatabase, createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { BLOCK_MS, openPassingTime, type PassingTime } from '../testing/passingTime.ts'
import { confirm } from '../testing/recovery.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { approveStake } from '../testing/stakeApprovals.ts'
import { until } from '../testing/until.ts'
import { votingFolder } from '../testing/votingFolder.ts'

// The database goes back in time; the stake does not.

const TRX = 1_000_000n
let time: PassingTime
let market: Market
let lost: TestDatabase
let restored: TestDatabase
let folder: string
let witness: string
let frozen = 0n
const ids = { waiting: '', lost: '' }
const txids: string[] = []

const open = async (database: TestDatabase) => {
  market = await openMarket({
    database,
    devnet: time.devnet,
    runtime: time.newRuntime(),
    blockMs: BLOCK_MS,
    signer: { SIGNER_DIR: folder },
  })
}
const mine = (blocks = 1) => time.pass(blocks * 3)
const staking = () => market.rooms.staking
type Wish = Omit<Parameters<Market['rooms']['staking']['request']>[0], 'stake' | 'reason' | 'by'>
async function requested(wish: Wish): Promise<string> {
  const said = { stake: '', reason: 'asked for', by: 'ann' }
  const response = await until('it can be asked for', async () => {
    const one = await staking().request({ ...said, ...wish })
    return 'id' in one && one
  })
  return response.id
}
async function untilDone(id: string) {
  const row = await until('it to be done', async () => {
    staking().wake()
    mine()
    const one = await staking().find(id)
    return one?.state === 'done' && one
  })
  txids.push(row.txid!)
  return row
}
const stakeNow = async () => (await staking().stakes())[0]!.stake
const booked = (database: TestDatabase) =>
  database.sql(
    `select kind, reference_id, debit, credit, amount_sun from ledger.movement
      where reference_id = any ($1) order by kind, reference_id`,
    [txids],
  )

beforeAll(async () => {
  time = await openPassingTime()
  witness = toBase58(time.devnet.chain.network.witness.address)
  folder = votingFolder(time.devnet, [witness])
  lost = await createTestDatabase()
  await open(lost)
})
afterAll(async () => {
  await market.close()
  await time.devnet.close()
  await Promise.all([lost.drop(), restored?.drop()])
  rmSync(folder, { recursive: true, force: true })
})

test('until the moment: a freeze that was approved and not sent', async () => {
  mine(2)
  await market.scanned()
  ids.waiting = await requested({ action: 'freeze', amount: 41n * TRX })
  await market.signer!.stop()
  expect(await approveStake(staking(), ids.waiting)).toEqual({ id: ids.waiting })
  await market.close()
  restored = await copyDatabase(lost)
})

test('after the moment: it is done, and so are a vote, another freeze and a claim', async () => {
  await open(lost)
  await untilDone(ids.waiting)
  await untilDone(await requested({ action: 'vote', shares: [witness] }))
  ids.lost = await requested({ action: 'freeze', amount: 43n * TRX })
  expect(await approveStake(staking(), ids.lost)).toEqual({ id: ids.lost })
  await untilDone(ids.lost)
  for (let cycle = 0; cycle < 5; cycle++) time.skip(6 * 3_600)
  await until('the claim', async () => {
    mine()
    const one = await staking().request({ stake: '', action: 'claim', reason: 'due', by: 'ann' })
    return 'id' in one
  })
  await untilDone((await staking().list(1))[0]!.id)
  mine(SOLID_LAG + 2)
  await market.scanned()
  frozen = (await stakeNow()).energy
  await market.close()
})

test('the restored service approves and sends nothing before it has found what is on the chain', async () => {
  await open(restored)
  await market.scanned()
  await until('it knows', () => market.rooms.chain.lag.behind()?.reason === 'recovery')
  const refused = { refused: expect.stringContaining('npx ergon recover') }
  expect(await approveStake(staking(), ids.waiting)).toEqual(refused)
  expect(await staking().cancel(ids.waiting, 'ann')).toEqual(refused)
  staking().wake()
  mine(SOLID_LAG + 2)
  await market.scanned()
  expect((await stakeNow()).energy).toBe(frozen)
})

test('recovery books each once, also in two processes, as the books had it', async () => {
  const recovering = () => market.rooms.deposits.recovering()
  await Promise.allSettled([recovering().recover(), recovering().recover()])
  expect(await recovering().recover()).toMatchObject({ booked: new Map(), open: [], waiting: 0 })
  expect(await staking().find(ids.waiting)).toMatchObject({ state: 'done', txid: txids[0] })
  const others = (await staking().list(10)).filter(({ id }) => id !== ids.waiting)
  expect(others.map(({ action, state }) => [action, state]).toSorted()).toEqual([
    ['claim', 'done'],
    ['freeze', 'done'],
    ['vote', 'done'],
  ])
  expect(others.every(({ requestedBy }) => requestedBy === 'recovery')).toBe(true)
  const movements = await booked(restored)
  expect(movements).toEqual(await booked(lost))
  expect(movements.filter(({ kind }) => kind === 'reward')).toHaveLength(1)
})

test('the signer’s machine confirms it, and the freeze is not done a second time', async () => {
  const first = await confirm(restored, folder)
  const seen = first.confirmed ? [] : first.unseen.map(({ txid }) => txid)
  const done = first.confirmed ? first : await confirm(restored, folder, seen, first.booked)
  expect(done.confirmed).toBe(true)
  await until('it is over', async () => {
    mine()
    await market.rooms.chain.lag.look()
    return market.rooms.chain.lag.behind() === undefined
  })
  staking().wake()
  mine(SOLID_LAG + 2)
  await market.scanned()
  expect((await stakeNow()).energy).toBe(frozen)
  const next = await requested({ action: 'freeze', amount: 47n * TRX })
  expect(await approveStake(staking(), next)).toEqual({ id: next })
})
