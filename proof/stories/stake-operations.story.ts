// Proves: staking, signing, ledger.
import { rmSync } from 'node:fs'
import { toBase58 } from '@ergon/tron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { sun, systemRuntime } from '../../service/kernel/index.ts'
import type { StakeWish } from '../../service/staking/index.ts'
import { FIRST } from '../testing/approvals.ts'
import { type Market, openMarket } from '../testing/market.ts'
import { SOLID_LAG } from '../testing/solidLag.ts'
import { approveStake, stakeApprovalBy } from '../testing/stakeApprovals.ts'
import { until } from '../testing/until.ts'
import { votingFolder } from '../testing/votingFolder.ts'
import { openDevnet } from '../testing/world.ts'

// Operators freeze, vote, claim, unfreeze, withdraw and cancel; the chain does it and the books know it.

const TRX = 1_000_000n
const runtime = systemRuntime()
let market: Market
let folder: string
let witness: string
beforeAll(async () => {
  const devnet = await openDevnet()
  witness = toBase58(devnet.chain.network.witness.address)
  folder = votingFolder(devnet, [witness])
  const claimMin = sun(1_000_000_000n * TRX)
  market = await openMarket({ runtime, devnet, signer: { SIGNER_DIR: folder }, claimMin })
})
afterAll(async () => {
  await market.close()
  await market.devnet.close()
  rmSync(folder, { recursive: true, force: true })
})

const staking = () => market.rooms.staking
const mine = (blocks: number) => {
  for (let block = 0; block < blocks; block++) market.devnet.chain.mine()
}
const stakeNow = async () => (await staking().stakes())[0]!.stake
const said = { reason: 'a test of it', by: 'Ann' }
async function requested(wish: Omit<StakeWish, 'stake'>): Promise<string> {
  const response = await staking().request({ stake: '', ...wish, ...said })
  if ('refused' in response) throw new Error(response.refused)
  return response.id
}
async function refusal(wish: Omit<StakeWish, 'stake'>) {
  const response = await staking().request({ stake: '', ...wish, ...said })
  return 'refused' in response ? response.refused : response
}

/** Sent, mined and solid. */
async function done(id: string) {
  staking().wake()
  await until('its bytes in the pool', async () => {
    const row = await staking().find(id)
    return typeof row?.txid === 'string' && market.devnet.chain.pool.has(row.txid)
  })
  mine(SOLID_LAG + 2)
  return until('it to be done', async () => {
    const row = await staking().find(id)
    return row?.state === 'done' && row
  })
}
async function approvedAndDone(wish: Omit<StakeWish, 'stake'>) {
  const id = await requested(wish)
  expect(await approveStake(staking(), id)).toEqual({ id })
  return done(id)
}
const movements = (txid: string) =>
  market.database.sql(
    `select kind, debit, credit, amount_sun from ledger.movement where reference_id = $1 order by kind`,
    [txid],
  )

test('a freeze waits for two operators, and the offers of own stake grow with it', async () => {
  const before = await stakeNow()
  const room = async () => {
    await market.rooms.providers.refresh()
    return market.rooms.providers.offers().find(({ provider }) => provider === 'own_stake')!
      .capacity
  }
  const offered = await room()
  const wish = { action: 'freeze', amount: 1_000n * TRX } as const
  expect(await staking().preview({ stake: '', ...wish })).toMatchObject({
    effects: [
      '1,000 TRX become stake: 10,000 Energy a day more.',
      `${(before.spendable / TRX - 1_000n).toLocaleString('en')} TRX stay spendable, which pay for Bandwidth that the stake lacks.`,
      expect.stringContaining('TRON Power grows by 1,000 to '),
    ],
  })
  const id = await requested(wish)
  expect(await staking().approve(id, 'ann', await stakeApprovalBy(staking(), id, FIRST))).toEqual({
    id,
  })
  // The same operator with the same key is one person.
  await staking().approve(id, 'ann', await stakeApprovalBy(staking(), id, FIRST))
  expect(await staking().find(id)).toMatchObject({ shown: 'requested', txid: null })
  expect(await refusal(wish)).toContain(`The same is open for this stake: ${id}`)
  expect(await approveStake(staking(), id)).toEqual({ id })
  const row = await done(id)
  expect(row).toMatchObject({ requestedBy: 'ann', attempt: 1n, trouble: null })
  const after = await stakeNow()
  expect(after.energy).toBe(before.energy + 1_000n * TRX)
  expect(after.spendable).toBe(before.spendable - 1_000n * TRX - row.fee!)
  expect(await room()).toBeGreaterThan(offered)
  // TRX of the stake stay TRX of the stake.
  expect(await movements(row.txid!)).toEqual(
    row.fee === 0n
      ? []
      : [expect.objectContaining({ kind: 'network_fee', credit: 'asset:staked' })],
  )
  expect(await staking().approve(id, 'bob', await stakeApprovalBy(staking(), id, FIRST))).toEqual({
    refused: 'It is done: there is nothing to approve.',
  })
  expect(await staking().cancel(id, 'bob')).toEqual({ refused: 'It is done already.' })
})

test('votes need nobody, are cast anew when the stake grows, and go only where the signer says', async () => {
  const stranger = toBase58(market.devnet.chain.network.funded[3]!.address)
  const refusedVote = await requested({ action: 'vote', shares: [stranger] })
  staking().wake()
  await until('the refusal', async () => (await staking().find(refusedVote))?.state === 'refused')
  expect(await staking().find(refusedVote)).toMatchObject({
    trouble: "votes go only to witnesses in the signer's file",
    txid: null,
  })
  await done(await requested({ action: 'vote', shares: [`${witness}=3`], isStanding: true }))
  const { power, voting } = await stakeNow()
  expect(voting).toBe(power)
  expect(await staking().standing()).toMatchObject([{ setBy: 'ann', shares: [{ witness }] }])
  await approvedAndDone({ action: 'freeze', amount: 500n * TRX })
  const again = await until('a vote by itself', async () => {
    const [newest] = await staking().list(1)
    return newest?.action === 'vote' && newest.requestedBy === 'ergon' && newest
  })
  await done(again.id)
  expect((await stakeNow()).voting).toBe(power + 500n)
  expect(await refusal({ action: 'vote', shares: ['Tnobody'] })).toBe(
    'Tnobody is not a TRON address.',
  )
})

test('rewards are claimed and booked as income by the receipt, once', async () => {
  expect(await refusal({ action: 'claim' })).toBe('There are no rewards to claim.')
  for (let cycle = 0; cycle < 5; cycle++) {
    await market.advance(6 * 3_600)
    market.devnet.chain.mine()
  }
  await market.scanned()
  const { reward, spendable } = await stakeNow()
  expect(reward).toBeGreaterThan(0n)
  const row = await done(await requested({ action: 'claim' }))
  expect(row.moved).toBeGreaterThanOrEqual(reward)
  expect((await stakeNow()).spendable).toBe(spendable + row.moved! - row.fee!)
  expect(await movements(row.txid!)).toContainEqual({
    kind: 'reward',
    debit: 'asset:staked',
    credit: 'income:rewards',
    amount_sun: String(row.moved),
  })
  expect(await refusal({ action: 'claim' })).toContain('pays rewards once in 24 hours: from ')
})

test('what is delegated, too little or one too many is not unfrozen, and says why', async () => {
  const { energy, delegated } = await stakeNow()
  const free = energy - delegated
  expect(await refusal({ action: 'unfreeze', amount: 999_999n })).toBe(
    'At least 1 TRX is unfrozen.',
  )
  expect(await refusal({ action: 'unfreeze', amount: energy + 1n })).toMatch(/^Only .* are staked/)
  const account = await market.fundedAccount('100')
  await market.buy(account)
  await until('the delegation', () => market.devnet.chain.pool.size > 0)
  mine(1)
  expect(await refusal({ action: 'unfreeze', amount: free })).toMatch(
    /^Only .* TRX can be unfrozen now: 6,506\.\d+ TRX are delegated\. /,
  )
  expect(await refusal({ action: 'withdraw' })).toBe('Nothing can be withdrawn now.')
  expect(await refusal({ action: 'cancel_unfreeze' })).toBe('Nothing is unfreezing.')
  expect(await refusal({ action: 'freeze', amount: 10n ** 15n })).toMatch(/^Only .* are spendable/)
})

test('an unfreeze takes votes back; when its wait is over a withdrawal is proposed, and done', async () => {
  const before = await stakeNow()
  const unfrozen = { action: 'unfreeze', amount: 300n * TRX } as const
  const plan = await staking().preview({ stake: '', ...unfrozen })
  expect(plan).toMatchObject({
    effects: expect.arrayContaining([
      '2,999 Energy a day are missing at once, and until as much is frozen again.',
      expect.stringMatching(/^300 TRX can be withdrawn after 14 days, from about 20/),
    ]),
  })
  await approvedAndDone(unfrozen)
  const between = await stakeNow()
  expect(between).toMatchObject({
    unfreezing: 300n * TRX,
    energy: before.energy - 300n * TRX,
  })
  expect(between.voting).toBeLessThan(before.voting)
  await market.advance(14 * 86_400 + 60)
  mine(1)
  await market.scanned()
  const proposed = await until('a proposal', async () => {
    staking().propose()
    const [newest] = await staking().list(1)
    return newest?.action === 'withdraw' && newest
  })
  expect(proposed).toMatchObject({ requestedBy: 'ergon', shown: 'requested' })
  expect(await staking().pulse()).toMatchObject({ waiting: 1n, stuck: 0n })
  const { spendable } = await stakeNow()
  expect(await approveStake(staking(), proposed.id)).toEqual({ id: proposed.id })
  const row = await done(proposed.id)
  expect(row.moved).toBe(300n * TRX)
  expect(await stakeNow()).toMatchObject({
    unfreezing: 0n,
    withdrawable: 0n,
    spendable: spendable + 300n * TRX - row.fee!,
  })
})

test('a cancellation makes all that is unfreezing stake again; one that is stopped is never signed', async () => {
  const before = await stakeNow()
  await approvedAndDone({ action: 'unfreeze', amount: 20n * TRX })
  await approvedAndDone({ action: 'unfreeze', amount: 10n * TRX })
  const stopped = await requested({ action: 'cancel_unfreeze' })
  expect(await staking().cancel(stopped, 'bob')).toEqual({ id: stopped })
  expect(await staking().find(stopped)).toMatchObject({ state: 'cancelled', cancelledBy: 'bob' })
  const row = await approvedAndDone({ action: 'cancel_unfreeze' })
  expect(row.moved).toBe(30n * TRX)
  expect(await stakeNow()).toMatchObject({ unfreezing: 0n, energy: before.energy })
  expect(row.stake).toBe(SANDBOX_STAKE_ADDRESS)
  // Nobody has seen a transaction of ours without a row.
  expect(await market.database.sql('select txid from signing.outflow')).toEqual([])
})
