import type { Contract, ContractType, ContractValues } from '@ergon/tron'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Chain } from './chain.ts'
import { createChain } from './createChain.ts'
import { answerCall } from './http/server.ts'
import { fundedKeys, witnessKey } from './networkKeys.ts'
import { maintenanceMs } from './parameters.ts'
import { sendAs } from './sender.ts'

// Votes count from the next maintenance on, and earn what the recorded formulas of java-tron's
// MortgageService give: 80 % of what blocks pay, shared by the votes.

const [a, b] = [fundedKeys[0]!, fundedKeys[1]!]
const witness = witnessKey.address
const trx = 1_000_000n
const dayMs = 86_400_000

let now: number
let chain: Chain

beforeEach(() => {
  now = 1_700_000_000_000
  chain = createChain({ now: () => now })
  send('FreezeBalanceV2Contract', { frozen_balance: 100_000n * trx, resource: 'ENERGY' })
})

function send<T extends ContractType>(
  type: T,
  value: Omit<ContractValues[T], 'owner_address'>,
  key = a,
): Record<string, unknown> {
  const contract = { type, value: { owner_address: key.address, ...value } } as unknown as Contract
  const txid = sendAs(chain, key.privateKey, contract)
  mine()
  return chain.transaction(txid)!.info
}

function mine(blocks = 1): void {
  for (let i = 0; i < blocks; i++) {
    now += 3_000
    chain.mine()
  }
}

/** A block after the next maintenance. */
function nextCycle(): void {
  now += maintenanceMs
  mine()
}

const vote = (count: bigint, key = a) =>
  send('VoteWitnessContract', { votes: [{ vote_address: witness, vote_count: count }] }, key)

const ask = (path: string, body: object): Record<string, unknown> =>
  JSON.parse(answerCall(chain, { path: `/wallet/${path}`, body: JSON.stringify(body) })!)

const rewardOf = (key = a) => ask('getReward', { address: key.address }).reward as number
const account = (key = a) => chain.viewAt(chain.head.number).tables.accounts.get(key.address)!
const counted = () => chain.viewAt(chain.head.number).tables.witnesses.get(witness)!.votes

test('a vote shows at once and counts from the next maintenance on', () => {
  const before = counted()
  vote(100_000n)
  const shown = ask('getaccount', { address: a.address })
  expect(shown.votes).toEqual([{ vote_address: witness, vote_count: 100_000 }])
  expect(ask('getaccountresource', { address: a.address })).toMatchObject({
    tronPowerUsed: 100_000,
    tronPowerLimit: 100_000,
  })
  expect(counted()).toBe(before)
  nextCycle()
  expect(counted()).toBe(before + 100_000n)
  vote(40_000n)
  nextCycle()
  expect(counted()).toBe(before + 40_000n)
})

test('a vote earns its share of 80 % of what the blocks of a cycle pay, and not in its first cycle', () => {
  vote(100_000n)
  nextCycle()
  expect(rewardOf()).toBe(0)
  mine(9)
  // The block that ends the cycle is the tenth.
  nextCycle()
  const paid = (10n * 136n * trx * 80n) / 100n
  const share = (((paid * 10n ** 18n) / counted()) * 100_000n) / 10n ** 18n
  expect(rewardOf()).toBe(Number(share))
  expect(share).toBeGreaterThan(0n)
})

test('a withdrawal pays the reward out, once a day', () => {
  vote(100_000n)
  nextCycle()
  nextCycle()
  const reward = BigInt(rewardOf())
  const before = account().balance
  const info = send('WithdrawBalanceContract', {})
  expect(info.withdraw_amount).toBe(reward)
  expect(account().balance).toBe(before + reward)
  expect(rewardOf()).toBe(0)
  const again = () => send('WithdrawBalanceContract', {})
  expect(again).toThrow(/The last withdraw time is \d+, less than 24 hours/)
  now += dayMs
  mine()
  nextCycle()
  expect(rewardOf()).toBeGreaterThan(0)
  expect(again().withdraw_amount).toBeGreaterThan(0n)
})

test('the cycle of a change is still earned with the old votes', () => {
  vote(100_000n)
  nextCycle()
  nextCycle()
  const full = rewardOf()
  vote(1n)
  // What was earned so far waits as allowance.
  expect(account().allowance).toBe(BigInt(full))
  nextCycle()
  const withOld = rewardOf()
  expect(withOld).toBeGreaterThan(full)
  nextCycle()
  const cycle = withOld - full
  expect(rewardOf() - withOld).toBeLessThan(cycle / 1000)
})

test('unstaking takes votes back in proportion', () => {
  vote(100_000n)
  send('UnfreezeBalanceV2Contract', { unfreeze_balance: 75_000n * trx, resource: 'ENERGY' })
  expect(account().votes).toEqual([{ witness, count: 25_000n }])
})

test('rewards and votes are taken back with their blocks, and come out the same from a replay', () => {
  vote(100_000n)
  nextCycle()
  nextCycle()
  const before = rewardOf()
  const { number } = chain.head
  mine(2)
  chain.reorg(1)
  expect(chain.viewAt(number).tables.earnings.get(`${witness}:2`)).toBeGreaterThan(0n)
  expect(rewardOf()).toBe(before)
})

describe('refusals, in the words of the node', () => {
  const body = (votes: object[], owner_address = a.address) => ({ owner_address, votes })
  const toWitness = (vote_count: number) => ({ vote_address: witness, vote_count })
  test.each([
    [body([]), 'VoteNumber must more than 0'],
    [body([toWitness(0)]), 'vote count must be greater than 0'],
    [body([{ vote_address: '41', vote_count: 1 }]), 'Invalid vote address!'],
    [body([{ vote_address: b.address, vote_count: 1 }]), `Witness[${b.address}] not exists`],
    [
      body([toWitness(100_001)]),
      'The total number of votes[100001000000] is greater than the tronPower[100000000000]',
    ],
  ])('%j', (request, sentence) => {
    expect(ask('votewitnessaccount', request)).toEqual({
      Error: `class org.tron.core.exception.ContractValidateException : ${sentence}`,
    })
  })

  test('nothing to withdraw, and a witness of the genesis may not', () => {
    const withdraw = (owner_address: string) => ask('withdrawbalance', { owner_address }).Error
    expect(withdraw(b.address)).toContain('witnessAccount does not have any reward')
    expect(withdraw(witness)).toContain('is a guard representative and is not allowed')
  })
})
