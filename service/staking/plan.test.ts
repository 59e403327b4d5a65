import { expect, test } from 'vitest'
import { type Act, type Ground, planOf } from './plan.ts'

const TRX = 1_000_000n
const now = new Date('2026-11-19T00:00:00Z')
const address = 'TAyLwcYDc9dVzR1mTUYufzwheeTzhagEH7'
const witness = 'TEUgSuzYKXkvxnh3nKirPAjwCDuNVZHup5'
type Read = Ground['read']

function ground(stake: Partial<Read['stake']> = {}, rest: Partial<Read> = {}): Ground {
  const own: Read['stake'] = {
    address,
    spendable: 100n * TRX,
    energy: 1_000n * TRX,
    bandwidth: 10n * TRX,
    delegated: 400n * TRX,
    delegatedBandwidth: 0n,
    unfreezing: 0n,
    withdrawable: 0n,
    power: 1_010n,
    voting: 0n,
    votes: [],
    reward: 0n,
    claimableFrom: new Date(0),
    ...stake,
  }
  const totals = { limit: 180n, weight: 18n, netLimit: 432n, netWeight: 27n }
  const read = { owner: '', stake: own, unlocks: [], totals, permissions: [], ...rest }
  return { read, now, delayDays: 14n, permission: null }
}
const act = (action: Act['action'], changes: Partial<Act> = {}): Act => {
  return { action, amount: null, resource: null, votes: [], ...changes }
}
const unfreeze = (trx: bigint) => act('unfreeze', { amount: trx * TRX, resource: 'ENERGY' })
const unlock = (seconds: number, trx: bigint) => ({
  stake: address,
  resource: 'ENERGY' as const,
  amount: trx * TRX,
  at: new Date(now.getTime() + seconds * 1_000),
})

test('what can be unfrozen is what is staked less what is delegated', () => {
  expect(planOf(unfreeze(600n), ground())).toMatchObject({
    effects: [
      '6,000 Energy a day are missing at once, and until as much is frozen again.',
      '600 TRX can be withdrawn after 14 days, from about 2026-12-03T00:00:00.000Z on. They sell and earn nothing meanwhile.',
    ],
  })
  expect(planOf(unfreeze(601n), ground())).toMatchObject({
    refused: expect.stringMatching(/^Only 600 TRX can be unfrozen now: 400 TRX are delegated\. /),
  })
  expect(planOf(unfreeze(1_001n), ground())).toEqual({
    refused: 'Only 1,000 TRX are staked for Energy.',
  })
})

test('the chain keeps 32 unfreezings; one that has passed its wait counts no more', () => {
  const many = Array.from({ length: 32 }, (_, n) => unlock(60 * (n + 1), 1n))
  expect(planOf(unfreeze(1n), ground({}, { unlocks: many }))).toEqual({
    refused:
      'The chain keeps at most 32 unfreezings of a stake: the next passes at 2026-11-19T00:01:00.000Z.',
  })
  const passed = [unlock(0, 1n), ...many.slice(1)]
  expect(planOf(unfreeze(1n), ground({}, { unlocks: passed }))).toHaveProperty('effects')
})

test('a freeze takes what is spendable, of whole votes and parts of them', () => {
  const freeze = (amount: bigint) => act('freeze', { amount, resource: 'BANDWIDTH' })
  expect(planOf(freeze(100n * TRX), ground())).toMatchObject({
    effects: [
      expect.stringContaining('1,600 Bandwidth a day more'),
      '0 TRX stay spendable, which pay for Bandwidth that the stake lacks.',
      'TRON Power grows by 100 to 1,110.',
    ],
  })
  expect(planOf(freeze(100n * TRX + 1n), ground())).toMatchObject({
    refused: expect.stringMatching(/^Only 100 TRX are spendable/),
  })
  expect(planOf(freeze(TRX - 1n), ground())).toEqual({ refused: 'At least 1 TRX is frozen.' })
})

test('votes are at most the power, and rewards come once in 24 hours', () => {
  const vote = (count: bigint) => act('vote', { votes: [{ witness, count }] })
  expect(planOf(vote(1_010n), ground())).toHaveProperty('effects')
  expect(planOf(vote(1_011n), ground())).toEqual({
    refused: 'This stake has 1,010 votes, and these are 1,011.',
  })
  expect(planOf(act('claim'), ground({ reward: TRX }))).toHaveProperty('effects')
  const claimableFrom = new Date(now.getTime() + 1)
  expect(planOf(act('claim'), ground({ reward: TRX, claimableFrom }))).toMatchObject({
    refused: expect.stringContaining('once in 24 hours'),
  })
})

test('a key whose permission lacks the contract says so before bytes expire for it', () => {
  const permission = (operations: string) => ({
    ...ground({}, { permissions: [{ id: 2, operations, threshold: 1n, keys: [] }] }),
    permission: 2,
  })
  const delegates = permission(`0000000000000006${'0'.repeat(48)}`)
  expect(planOf(unfreeze(1n), delegates)).toEqual({
    refused: `Our key may not do that: permission 2 of ${address} lacks contract 55. Its owner has to add it.`,
  })
  expect(
    planOf(act('claim'), {
      ...delegates,
      read: { ...delegates.read, stake: { ...delegates.read.stake, reward: 1n } },
    }),
  ).toMatchObject({
    refused: expect.stringContaining('lacks contract 13'),
  })
  const all = permission(`102000000000c00f${'0'.repeat(48)}`)
  expect(planOf(unfreeze(1n), all)).toHaveProperty('effects')
  // Another permission's rights are not ours.
  expect(planOf(unfreeze(1n), { ...all, permission: 3 })).toHaveProperty('refused')
})

test('a cancellation names all that ends, and what has passed its wait comes with it', () => {
  const unlocks = [unlock(-60, 5n), unlock(60, 20n), unlock(120, 10n)]
  expect(planOf(act('cancel_unfreeze'), ground({ withdrawable: 5n * TRX }, { unlocks }))).toEqual({
    effects: [
      '30 TRX become stake again: 300 Energy a day more.',
      'All 2 unfreezings of this stake end; the chain cancels no single one.',
      '5 TRX that have passed their wait become spendable with it.',
    ],
  })
  expect(planOf(act('withdraw'), ground({}, { unlocks: [unlock(60, 20n)] }))).toEqual({
    refused: 'Nothing can be withdrawn now. The next, 20 TRX, can be at 2026-11-19T00:01:00.000Z.',
  })
})
