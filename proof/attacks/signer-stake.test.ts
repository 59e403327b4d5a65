// Proves: signer, signing.
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type StakeFacts, stakeApprovalText } from '@ergon/contract/approval.ts'
import { type Contract, parseAddress, toBase58 } from '@ergon/tron'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SANDBOX_HOT_ADDRESS, SANDBOX_STAKE_ADDRESS } from '../../service/app/sandboxNetwork.ts'
import { readTrust, writeTrust } from '../../service/signer/trust.ts'
import { type Change, changed } from '../../service/signer/trustChange.ts'
import { signText } from '../../service/signing/index.ts'
import { ANN, BOB, CHAIN, type OwnSigner, openOwnSigner } from '../testing/ownSigner.ts'

// An attacker with the service's database role asks for whatever it likes about our stake. The signer moves
// stake with two operators' signatures only, and votes and claims by its own file and clock.

const STAKE = parseAddress(SANDBOX_STAKE_ADDRESS)!
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const TRX = 1_000_000n
const WITNESS = `41${'99'.repeat(20)}`
let signer: OwnSigner
beforeEach(async () => {
  signer = await openOwnSigner()
})
afterEach(() => signer.close())

type Act = { operation: string; attempt: number; action: StakeFacts['action']; contract: Contract }
const owned = { owner_address: STAKE }
const frozen = { ...owned, frozen_balance: 5n * TRX, resource: 'ENERGY' as const }
const unfrozen = { ...owned, unfreeze_balance: 5n * TRX, resource: 'ENERGY' as const }
const CONTRACTS: Record<StakeFacts['action'], Contract> = {
  freeze: { type: 'FreezeBalanceV2Contract', value: frozen, permissionId: 2 },
  unfreeze: { type: 'UnfreezeBalanceV2Contract', value: unfrozen, permissionId: 2 },
  withdraw: { type: 'WithdrawExpireUnfreezeContract', value: owned, permissionId: 2 },
  cancel_unfreeze: { type: 'CancelAllUnfreezeV2Contract', value: owned, permissionId: 2 },
}
const actOf = (action: StakeFacts['action'], changes: Partial<Act> = {}): Act => {
  const contract = CONTRACTS[action]
  return { operation: randomUUID(), attempt: 1, action, contract, ...changes }
}

function ask(purpose: string, contract: Contract, of: { payout?: string; attempt?: number } = {}) {
  const expiration = signer.clock.ms + 120_000
  const raw = signer.bytesOfContract(contract, expiration)
  return signer.askBytes(purpose, raw, { ...of, expiration }, STAKE)
}
const askFor = ({ action, contract, operation, attempt }: Act) =>
  ask(action, contract, { payout: operation, attempt })

type Operator = { key: string; privateKey: string }
async function approve(act: Act, operator: Operator, changes: Partial<StakeFacts> = {}) {
  const { operation, attempt, action } = act
  const hasAmount = action === 'freeze' || action === 'unfreeze'
  const facts: StakeFacts = {
    chain: CHAIN,
    hot: SANDBOX_HOT_ADDRESS,
    stake: SANDBOX_STAKE_ADDRESS,
    operation,
    attempt,
    action,
    ...(hasAmount && { amountSun: 5n * TRX, resource: 'ENERGY' }),
    ends: new Date(signer.clock.ms + HOUR_MS),
    ...changes,
  }
  const signature = signText(stakeApprovalText(facts), operator.privateKey)
  await signer.app.query(
    `insert into signing.approval (payout_id, attempt, key, approved_by, ends_at, signature, approved_at)
     values ($1, $2, $3, 'anybody', $4, $5, now())
     on conflict (payout_id, attempt, key) do update
       set ends_at = excluded.ends_at, signature = excluded.signature`,
    [operation, attempt, operator.key, facts.ends, signature],
  )
}

async function approved(act: Act) {
  await approve(act, ANN)
  await approve(act, BOB)
  return act
}

test.each(Object.keys(CONTRACTS) as StakeFacts['action'][])(
  '%s needs two operators, and is signed once for an attempt',
  async (action) => {
    const act = actOf(action)
    expect(await askFor(act)).toBe(`a ${action} needs two approvals; this attempt has none`)
    expect(await ask(action, act.contract)).toBe(`a ${action} names its operation and its attempt`)
    await approve(act, ANN)
    expect(await askFor(act)).toContain('approval of a second operator')
    await approve(act, BOB)
    expect(await askFor(act)).toBe('signed')
    expect(await askFor(act)).toContain('the next attempt of this payout is 2')
  },
)

test.each<[string, Partial<StakeFacts>]>([
  ['another chain', { chain: CHAIN.replace('ab', 'cd') }],
  ['another stake', { stake: SANDBOX_HOT_ADDRESS }],
  ['another operation', { operation: randomUUID() }],
  ['another attempt', { attempt: 2 }],
  ['the opposite', { action: 'unfreeze' }],
  ['a smaller amount', { amountSun: 5n * TRX - 1n }],
  ['Bandwidth', { resource: 'BANDWIDTH' }],
])('an approval of %s freezes nothing', async (_what, changes) => {
  const act = actOf('freeze')
  await approve(act, ANN)
  await approve(act, BOB, changes)
  expect(await askFor(act)).toContain('signature is of something else')
})

test('approvals of a payout move no stake, and approvals of a freeze pay nobody', async () => {
  const act = actOf('freeze')
  const wish = signer.wish({ payout: act.operation })
  await signer.approve(wish, ANN)
  await signer.approve(wish, BOB)
  expect(await askFor(act)).toContain('signature is of something else')
  await approved(act)
  expect(await signer.ask(wish)).toContain('signature is of something else')
  // A destination that payouts may go to with one approval is worth nothing here.
  change({ add: 'destination', address: SANDBOX_STAKE_ADDRESS })
  signer.clock.ms += DAY_MS
  const other = actOf('unfreeze')
  await approve(other, ANN)
  expect(await askFor(other)).toContain('approval of a second operator')
})

test('a signed freeze is in the file before it leaves, and an old file signs no other', async () => {
  const file = join(signer.folder, 'payouts.jsonl')
  const old = readFileSync(file)
  const act = await approved(actOf('freeze'))
  expect(await askFor(act)).toBe('signed')
  expect(readFileSync(file, 'utf8')).toContain(act.operation)
  writeFileSync(file, old)
  expect(await askFor(await approved(actOf('freeze')))).toContain("the signer's file is older")
})

test('an id on a request of another purpose does not make the file look old', async () => {
  const reclaim: Contract = {
    type: 'UnDelegateResourceContract',
    value: {
      ...owned,
      receiver_address: WITNESS,
      resource: 'ENERGY',
      balance: TRX,
    },
    permissionId: 2,
  }
  expect(await ask('reclaim', reclaim, { payout: randomUUID(), attempt: 1 })).toBe('signed')
  expect(await askFor(await approved(actOf('freeze')))).toBe('signed')
})

/** Changes the file on the signer's machine. */
function change(wanted: Change) {
  const done = changed(readTrust(signer.folder), wanted, { now: signer.clock.ms })
  if ('refused' in done) throw new Error(done.refused)
  writeTrust(signer.folder, done.trust)
}
const voteFor = (vote_address: string): Contract => {
  const votes = [{ vote_address, vote_count: 7n }]
  return { type: 'VoteWitnessContract', value: { ...owned, votes }, permissionId: 2 }
}

test('votes go to witnesses in the file, a day after they were added and so often only', async () => {
  const vote = () => ask('vote', voteFor(WITNESS))
  expect(await vote()).toBe("votes go only to witnesses in the signer's file")
  change({ add: 'witness', address: toBase58(WITNESS) })
  signer.clock.ms += DAY_MS - 1
  expect(await vote()).toBe("votes go only to witnesses in the signer's file")
  signer.clock.ms += 1
  expect(await vote()).toBe('signed')
  expect(await vote()).toBe('signed')
  expect(await ask('vote', voteFor(`41${'98'.repeat(20)}`))).toContain('only to witnesses')
  expect(await vote()).toBe('the hourly limit of votes is reached')
  await signer.restart()
  expect(await vote()).toBe('the hourly limit of votes is reached')
  change({ remove: 'witness', address: toBase58(WITNESS) })
  signer.clock.ms += 2 * HOUR_MS
  expect(await vote()).toContain('only to witnesses')
})

test('rewards are claimed without approvals, to the stake alone, and so often only', async () => {
  const claim: Contract = { type: 'WithdrawBalanceContract', value: owned, permissionId: 2 }
  expect(await ask('claim', claim)).toBe('signed')
  expect(await ask('claim', claim)).toBe('signed')
  expect(await ask('claim', claim)).toBe('the hourly limit of claims is reached')
  signer.clock.ms += 2 * HOUR_MS
  expect(await ask('claim', claim)).toBe('signed')
  expect(await ask('claim', claim)).toBe('signed')
  signer.clock.ms += 2 * HOUR_MS
  expect(await ask('claim', claim)).toBe('the daily limit of claims is reached')
})
