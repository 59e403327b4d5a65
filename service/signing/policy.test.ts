import { addressDeriver, buildTransaction, type Contract } from '@ergon/tron'
import { expect, test } from 'vitest'
import { objectionTo, type PolicyContext } from './policy.ts'
import type { WaitingRow } from './store.ts'

// What the signer refuses, one reason at a time. Each case differs from a valid request in one
// thing.

const XPUB =
  'xpub6DYjajFXaaGoKXmK5ZB3s4of3srcgUGbPRgyXBpajfmJWgn8HguRNvmKBejyJNpbgY7UEzn7Yw7HJ4SCutbxCJ22x96G2sqaqkgKwegtDcW'
const depositAddressAt = addressDeriver(XPUB)
const address = (digit: string) => `41${digit.repeat(40)}`
const [HOT, STAKE, OWN_STAKE, STRANGER, COLD] = ['a', 'b', 'c', 'd', 'e'].map(address) as [
  string,
  string,
  string,
  string,
  string,
]
const WITNESS = address('f')
const TRX = 1_000_000n
const used = { max: 1_000n * TRX, signed: 900n * TRX }
const unused = { max: 1_000n * TRX, signed: 0n }
const limits = { hour: used, day: unused }
const dayLimits = { hour: unused, day: used }

const context: PolicyContext = {
  stakes: new Map([
    [STAKE, 2],
    [OWN_STAKE, null],
  ]),
  hot: HOT,
  depositAddressAt,
  limits: {
    delegate: limits,
    sweep: limits,
    payout: limits,
    freeze: limits,
    unfreeze: limits,
  },
  treasury: new Map([[COLD, limits]]),
  witnesses: new Set([WITNESS]),
  times: (purpose, stake) => {
    const signed = purpose === 'vote' && stake === OWN_STAKE ? 2n : 1n
    return { hour: { max: 2n, signed }, day: { max: 4n, signed } }
  },
}

function request(
  purpose: string,
  contract: Contract,
  changes: Partial<WaitingRow> & { data?: string } = {},
): WaitingRow {
  const { data = '', ...rest } = changes
  const headBlock = { id: '0'.repeat(64), timestamp: 1_700_000_000_000 }
  const { rawBytes, raw, txId } = buildTransaction(contract, { headBlock, data })
  return {
    id: 'one',
    purpose,
    owner: contract.value.owner_address,
    position: null,
    payout: null,
    attempt: null,
    raw: Buffer.from(rawBytes),
    txid: txId,
    expiresAt: new Date(raw.expiration),
    ...rest,
  }
}

function transfer(from: string, to: string, amount = 100n * TRX, permissionId?: number): Contract {
  const value = { owner_address: from, to_address: to, amount }
  return { type: 'TransferContract', value, ...(permissionId && { permissionId }) }
}

type Delegate = Extract<Contract, { type: 'DelegateResourceContract' }>
function delegate(changes: Partial<Delegate['value']> = {}, permissionId = 2): Contract {
  const value = {
    owner_address: STAKE,
    receiver_address: STRANGER,
    resource: 'ENERGY' as const,
    balance: 100n * TRX,
    ...changes,
  }
  return { type: 'DelegateResourceContract', value, ...(permissionId && { permissionId }) }
}

function undelegate(
  owner: string,
  resource: 'ENERGY' | 'BANDWIDTH',
  { permissionId = 2, balance = 5_000n * TRX } = {},
): Contract {
  const value = { owner_address: owner, receiver_address: STRANGER, resource, balance }
  return { type: 'UnDelegateResourceContract', value, permissionId }
}

type Resource = 'ENERGY' | 'BANDWIDTH' | 'TRON_POWER'
function freeze(
  frozen_balance = 100n * TRX,
  { owner = STAKE, resource = 'ENERGY' as Resource, permissionId = 2 } = {},
): Contract {
  const value = { owner_address: owner, frozen_balance, resource }
  return {
    type: 'FreezeBalanceV2Contract',
    value,
    ...(permissionId && { permissionId }),
  }
}
function unfreeze(unfreeze_balance = 100n * TRX, resource: Resource = 'ENERGY'): Contract {
  const value = { owner_address: STAKE, unfreeze_balance, resource }
  return { type: 'UnfreezeBalanceV2Contract', value, permissionId: 2 }
}
const ofStake = (
  type:
    | 'WithdrawExpireUnfreezeContract'
    | 'CancelAllUnfreezeV2Contract'
    | 'WithdrawBalanceContract',
  owner = STAKE,
): Contract => ({ type, value: { owner_address: owner }, permissionId: 2 }) as Contract
function vote(witness = WITNESS, count = 1n, owner = STAKE): Contract {
  const votes = [{ vote_address: witness, vote_count: count }]
  const permission = owner === STAKE ? { permissionId: 2 } : {}
  return { type: 'VoteWitnessContract', value: { owner_address: owner, votes }, ...permission }
}

const seven = { position: 7n }
const sweep = transfer(depositAddressAt(7), HOT)

test.each([
  ['a delegation under our permission', request('delegate', delegate())],
  [
    'a delegation of a stake of our own key',
    request('delegate', delegate({ owner_address: OWN_STAKE }, 0)),
  ],
  ['a reclaim, however large', request('reclaim', undelegate(STAKE, 'ENERGY'))],
  ['a sweep to the hot wallet', request('sweep', sweep, seven)],
  ['a payout to a stranger', request('payout', transfer(HOT, STRANGER))],
  ['a treasury transfer to the cold address', request('treasury', transfer(HOT, COLD))],
  ['a freeze of the least stake', request('freeze', freeze(TRX))],
  ['a freeze for Bandwidth', request('freeze', freeze(TRX, { resource: 'BANDWIDTH' }))],
  ['an unfreeze of 1 SUN', request('unfreeze', unfreeze(1n))],
  ['a withdrawal of what is due', request('withdraw', ofStake('WithdrawExpireUnfreezeContract'))],
  ['a cancelled unfreeze', request('cancel_unfreeze', ofStake('CancelAllUnfreezeV2Contract'))],
  ['a vote for a known witness', request('vote', vote())],
  ['a claim of rewards', request('claim', ofStake('WithdrawBalanceContract'))],
  ['a delegation of the least stake', request('delegate', delegate({ balance: TRX }))],
  ['a sweep of 1 SUN', request('sweep', transfer(depositAddressAt(7), HOT, 1n), seven)],
])('%s is signed', (_what, lawful) => {
  expect(objectionTo(lawful, context)).toBeUndefined()
})

test.each([
  ['a freeze of less than 1 TRX', request('freeze', freeze(TRX - 1n)), 'less than 1000000 SUN'],
  ['a freeze above the limit', request('freeze', freeze(100n * TRX + 1n)), 'limit of frozen stake'],
  [
    'a freeze of the hot wallet',
    request('freeze', freeze(TRX, { owner: HOT, permissionId: 0 })),
    'not one of our stakes',
  ],
  [
    'a freeze under another permission',
    request('freeze', freeze(TRX, { permissionId: 3 })),
    'another permission',
  ],
  [
    'a freeze for TRON Power',
    request('freeze', freeze(TRX, { resource: 'TRON_POWER' })),
    'only Energy and Bandwidth',
  ],
  ['an unfreeze called a freeze', request('freeze', unfreeze()), 'not a FreezeBalanceV2Contract'],
  ['an unfreeze of nothing', request('unfreeze', unfreeze(0n)), 'less than 1 SUN'],
  [
    'an unfreeze above the limit',
    request('unfreeze', unfreeze(100n * TRX + 1n)),
    'limit of unfrozen stake',
  ],
  ['a transfer called a claim', request('claim', transfer(STAKE, STRANGER)), 'not a Withdraw'],
  [
    'a transfer called a withdrawal',
    request('withdraw', transfer(STAKE, STRANGER)),
    'not a Withdraw',
  ],
  [
    'a withdrawal of another account',
    request('withdraw', ofStake('WithdrawExpireUnfreezeContract', STRANGER)),
    'not one of our stakes',
  ],
  [
    'a delegation called a cancelled unfreeze',
    request('cancel_unfreeze', delegate()),
    'not a CancelAll',
  ],
  ['a vote for a stranger', request('vote', vote(STRANGER)), "witnesses in the signer's file"],
  ['a vote of nothing', request('vote', vote(WITNESS, 0n)), 'a vote of less than 1'],
  [
    'a third vote within an hour',
    request('vote', vote(WITNESS, 1n, OWN_STAKE)),
    'hourly limit of votes',
  ],
  ['an unknown purpose', request('gift', sweep, seven), 'purpose gift is not one'],
  [
    'a txid of other bytes',
    request('sweep', sweep, { ...seven, txid: '0'.repeat(64) }),
    'hash of the bytes',
  ],
  [
    'another owner than it says',
    request('sweep', sweep, { ...seven, owner: STRANGER }),
    'another owner',
  ],
  [
    'another expiration than it says',
    request('sweep', sweep, { ...seven, expiresAt: new Date(1) }),
    'expire at another time',
  ],
  ['a memo', request('sweep', sweep, { ...seven, data: 'ff' }), 'a memo'],

  [
    'a sweep to a stranger',
    request('sweep', transfer(depositAddressAt(7), STRANGER), seven),
    'to the hot wallet and nowhere else',
  ],
  [
    'a sweep to another deposit address',
    request('sweep', transfer(depositAddressAt(7), depositAddressAt(8)), seven),
    'to the hot wallet and nowhere else',
  ],
  ['a sweep without a position', request('sweep', sweep), 'names the position'],
  [
    'a sweep of an address at another position',
    request('sweep', sweep, { position: 8n }),
    'not the deposit address at that position',
  ],
  [
    'a sweep that pays from the stake',
    request('sweep', transfer(STAKE, HOT), seven),
    'not the deposit address at that position',
  ],
  [
    'a sweep above the hourly limit',
    request('sweep', transfer(depositAddressAt(7), HOT, 100n * TRX + 1n), seven),
    'hourly limit of sweeps',
  ],
  [
    'a sweep of nothing',
    request('sweep', transfer(depositAddressAt(7), HOT, 0n), seven),
    'less than 1 SUN',
  ],
  [
    'a sweep under a permission',
    request('sweep', transfer(depositAddressAt(7), HOT, 100n * TRX, 2), seven),
    'by the owner of the address',
  ],
  ['a sweep that is a delegation', request('sweep', delegate(), seven), 'not a transfer'],

  [
    'a payout from a deposit address',
    request('payout', transfer(depositAddressAt(7), STRANGER)),
    'comes from the hot wallet',
  ],
  [
    'a payout from the stake',
    request('payout', transfer(STAKE, STRANGER)),
    'comes from the hot wallet',
  ],
  ['a payout to ourselves', request('payout', transfer(HOT, STAKE)), 'to somebody else'],
  [
    'a payout above the hourly limit',
    request('payout', transfer(HOT, STRANGER, 100n * TRX + 1n)),
    'hourly limit of payouts',
  ],
  ['a payout of nothing', request('payout', transfer(HOT, STRANGER, 0n)), 'less than 1 SUN'],
  [
    'a payout under a permission',
    request('payout', transfer(HOT, STRANGER, 1n, 2)),
    'by the owner of the hot wallet',
  ],
  ['a payout that is a delegation', request('payout', delegate()), 'not a transfer'],

  [
    'a treasury transfer to a stranger',
    request('treasury', transfer(HOT, STRANGER)),
    "only to destinations in the signer's file",
  ],
  [
    'a treasury transfer from the stake',
    request('treasury', transfer(STAKE, COLD)),
    'comes from the hot wallet',
  ],
  [
    'a treasury transfer above the limit of its destination',
    request('treasury', transfer(HOT, COLD, 100n * TRX + 1n)),
    'hourly limit of treasury transfers',
  ],
  [
    'a treasury transfer of nothing',
    request('treasury', transfer(HOT, COLD, 0n)),
    'less than 1 SUN',
  ],
  [
    'a treasury transfer under a permission',
    request('treasury', transfer(HOT, COLD, 1n, 2)),
    'by the owner of the hot wallet',
  ],

  [
    'a delegation of a stranger',
    request('delegate', delegate({ owner_address: STRANGER })),
    'not one of our stakes',
  ],
  ['a delegation as the owner', request('delegate', delegate({}, 0)), 'another permission'],
  [
    'a delegation under another permission',
    request('delegate', delegate({}, 3)),
    'another permission',
  ],
  [
    'a delegation of Bandwidth',
    request('delegate', delegate({ resource: 'BANDWIDTH' })),
    'only Energy',
  ],
  ['a locked delegation', request('delegate', delegate({ lock: true })), 'could not be taken back'],
  [
    'a delegation above the hourly limit',
    request('delegate', delegate({ balance: 100n * TRX + 1n })),
    'hourly limit of delegated stake',
  ],
  [
    'a delegation of less than the chain takes',
    request('delegate', delegate({ balance: TRX - 1n })),
    'less than 1000000 SUN',
  ],
  [
    'a delegation with a period and without a lock',
    request('delegate', delegate({ lock_period: 1n })),
    'could not be taken back',
  ],
  [
    'a delegation that is a transfer',
    request('delegate', transfer(STAKE, STRANGER)),
    'not a delegation',
  ],
  [
    'a reclaim of a stranger',
    request('reclaim', undelegate(STRANGER, 'ENERGY')),
    'not one of our stakes',
  ],
  [
    'a reclaim under another permission',
    request('reclaim', undelegate(STAKE, 'ENERGY', { permissionId: 4 })),
    'another permission',
  ],
  ['a reclaim of Bandwidth', request('reclaim', undelegate(STAKE, 'BANDWIDTH')), 'only Energy'],
  [
    'a reclaim of nothing',
    request('reclaim', undelegate(STAKE, 'ENERGY', { balance: 0n })),
    'less than 1 SUN',
  ],
  ['a reclaim that is a delegation', request('reclaim', delegate()), 'not a reclaim'],
])('%s is refused', (_what, unlawful, reason) => {
  expect(objectionTo(unlawful, context)).toContain(reason)
})

test.each([
  ['delegate', request('delegate', delegate({ balance: 100n * TRX + 1n })), 'delegated stake'],
  ['sweep', request('sweep', transfer(depositAddressAt(7), HOT, 100n * TRX + 1n), seven), 'sweeps'],
  ['payout', request('payout', transfer(HOT, STRANGER, 100n * TRX + 1n)), 'payouts'],
  ['freeze', request('freeze', freeze(100n * TRX + 1n)), 'frozen stake'],
  ['unfreeze', request('unfreeze', unfreeze(100n * TRX + 1n)), 'unfrozen stake'],
])('%s above the daily limit is refused', (_purpose, unlawful, what) => {
  const daily = {
    delegate: dayLimits,
    sweep: dayLimits,
    payout: dayLimits,
    freeze: dayLimits,
    unfreeze: dayLimits,
  }
  const reason = `the daily limit of ${what} is reached`
  expect(objectionTo(unlawful, { ...context, limits: daily })).toBe(reason)
})
