import { addressOfPrivateKey, type Contract, encodeRaw, sign, txId } from '@ergon/tron'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Chain } from './chain.ts'
import { createChain } from './createChain.ts'
import type { Incoming } from './execute.ts'
import { fundedKeys } from './networkKeys.ts'
import { Refusal } from './refusal.ts'
import { type SendOptions, sendAs, signedBy } from './sender.ts'

// tron.md 1.3: a node's answers to a transaction that it refuses.

let chain: Chain
const [a, b, c] = [fundedKeys[0]!, fundedKeys[1]!, fundedKeys[2]!]

beforeEach(() => {
  chain = createChain({ solidLag: 2 })
})

function transfer(amount = 1n, from = a, permissionId = 0): Contract {
  const value = { owner_address: from.address, to_address: b.address, amount }
  return { type: 'TransferContract', value, permissionId }
}

function build(
  contract: Contract,
  options: SendOptions = {},
  keys: string | string[] = a.privateKey,
) {
  return signedBy(keys, contract, { chain, ...options })
}

function refusalOf(transaction: Incoming): [string, string] {
  try {
    chain.broadcast(transaction)
  } catch (error) {
    if (error instanceof Refusal) return [error.code, error.message]
    throw error
  }
  throw new Error('the chain took it')
}

function withRaw(transaction: Incoming, change: Partial<Incoming['raw']>): Incoming {
  const raw = { ...transaction.raw, ...change }
  const rawBytes = encodeRaw(raw)
  const txid = txId(rawBytes)
  const resigned = signedBy(a.privateKey, raw.contract, { chain })
  return { ...resigned, raw, rawBytes, txid, signatures: [signatureOf(txid)] }
}

function signatureOf(digest: string): string {
  return sign(digest, a.privateKey)
}

test('a reference to a block that is not on this chain: TAPOS_ERROR', () => {
  const foreign = withRaw(build(transfer()), { refBlockHash: 'ab'.repeat(8) })
  expect(refusalOf(foreign)).toEqual(['TAPOS_ERROR', 'Tapos check error.'])
  const future = withRaw(build(transfer()), { refBlockBytes: '0009' })
  expect(refusalOf(future)[0]).toBe('TAPOS_ERROR')
  const empty = withRaw(build(transfer()), { refBlockBytes: '', refBlockHash: '' })
  expect(refusalOf(empty)[0]).toBe('TAPOS_ERROR')
})

test('a reference to a block that a reorganisation took away: TAPOS_ERROR', () => {
  chain.mine()
  chain.mine()
  const orphaned = build(transfer())
  chain.reorg(1)
  expect(refusalOf(orphaned)).toEqual(['TAPOS_ERROR', 'Tapos check error.'])
})

test('expired, or too far in the future: TRANSACTION_EXPIRATION_ERROR', () => {
  const expired = ['TRANSACTION_EXPIRATION_ERROR', 'Transaction expired']
  const at = (expiration: number) => withRaw(build(transfer()), { expiration })
  const head = chain.head.timestamp
  expect(refusalOf(at(head))).toEqual(expired)
  expect(refusalOf(at(head + 2_999))).toEqual(expired)
  expect(refusalOf(at(head + 86_400_001))).toEqual(expired)
  chain.broadcast(at(head + 3_000))
  chain.broadcast(at(head + 86_400_000))
})

test('a pooled transaction whose time passes before the block is in no block', () => {
  const early = build(transfer(1n), { expirationMs: 5_000 })
  const late = build(transfer(2n), { expirationMs: 60_000 })
  chain.broadcast(early)
  chain.broadcast(late)
  chain.clock.advance(30_000)
  expect(chain.mine().txids).toEqual([late.txid])
  expect(chain.transaction(early.txid)).toBeUndefined()
})

test('the same transaction again, pooled or on the chain: DUP_TRANSACTION_ERROR', () => {
  const transaction = build(transfer())
  chain.broadcast(transaction)
  const dup = ['DUP_TRANSACTION_ERROR', 'Dup transaction.']
  expect(refusalOf(transaction)).toEqual(dup)
  chain.mine()
  expect(refusalOf(transaction)).toEqual(dup)
})

describe('signatures', () => {
  const error = (text: string) => ['SIGERROR', `Validate signature error: ${text}`]

  test('none, too many, somebody else’s, garbage, too short', () => {
    const good = build(transfer())
    expect(refusalOf({ ...good, signatures: [] })).toEqual(error('miss sig or contract'))
    const six = Array.from({ length: 6 }, () => good.signatures[0]!)
    expect(refusalOf({ ...good, signatures: six })).toEqual(error('too many signatures'))
    const two = [good.signatures[0]!, good.signatures[0]!]
    expect(refusalOf({ ...good, signatures: two })[1]).toContain('Signature count is 2 more than')
    const [code, text] = refusalOf(build(transfer(), {}, b.privateKey))
    expect(code).toBe('SIGERROR')
    expect(text).toMatch(/ is signed by T\w{33} but it is not contained of permission\.$/)
    const short = good.signatures[0]!.slice(0, 128)
    expect(refusalOf({ ...good, signatures: [short] })).toEqual(error('Signature size is 64'))
    expect(refusalOf({ ...good, signatures: ['ff'.repeat(65)] })[0]).toBe('SIGERROR')
  })

  test('the permission must exist and allow the contract', () => {
    expect(refusalOf(build(transfer(1n, a, 3)))).toEqual(error("permission isn't exit"))
    expect(refusalOf(build(transfer(1n, a, 1)))).toEqual(error("permission isn't exit"))
    // Permission 2 exists from the start and allows transfers.
    chain.broadcast(build(transfer(1n, a, 2)))
  })

  test('two of three: one signature is not enough, two cost 1 TRX more', () => {
    const keys = [a, b, c].map(({ address }) => ({ address, weight: 1n }))
    const owner = { permission_name: 'owner', threshold: 2n, keys }
    const active = {
      type: 'Active' as const,
      permission_name: 'active',
      threshold: 1n,
      operations: `0000000000000006${'0'.repeat(48)}`,
      keys: [{ address: c.address, weight: 1n }],
    }
    sendAs(chain, a.privateKey, {
      type: 'AccountPermissionUpdateContract',
      value: { owner_address: a.address, owner, actives: [active] },
    })
    chain.mine()
    expect(refusalOf(build(transfer()))).toEqual(error('sig error'))
    const twice = build(transfer(), {}, [b.privateKey, b.privateKey])
    expect(refusalOf(twice)[1]).toContain('has signed twice!')
    const both = build(transfer(), {}, [b.privateKey, c.privateKey])
    chain.broadcast(both)
    chain.mine()
    const { info } = chain.transaction(both.txid)!
    const { net_fee = 0n } = info.receipt as { net_fee?: bigint }
    expect(info.fee).toBe(1_000_000n + net_fee)
    expect(refusalOf(build(transfer(1n, a, 2), {}, c.privateKey))).toEqual(
      error('Permission denied'),
    )
  })
})

describe('contracts that do not fit the state: CONTRACT_VALIDATE_ERROR with the actuator’s words', () => {
  const own = { owner_address: a.address }
  const nobody = `41${'77'.repeat(20)}`
  const delegation = (over: object) => ({
    type: 'DelegateResourceContract' as const,
    value: {
      ...own,
      receiver_address: b.address,
      balance: 1_000_000n,
      resource: 'ENERGY' as const,
      ...over,
    },
  })
  const usdtCall = { type: 'TriggerSmartContract' as const }
  const cases: [string, Contract, SendOptions?][] = [
    ['Validate TransferContract error, balance is not sufficient.', transfer(10n ** 15n)],
    ['Amount must be greater than 0.', transfer(0n)],
    [
      'Cannot transfer TRX to yourself.',
      { type: 'TransferContract', value: { ...own, to_address: a.address, amount: 1n } },
    ],
    [
      'Cannot transfer TRX to a smartContract.',
      {
        type: 'TransferContract',
        value: { ...own, to_address: '41adfb4ffe8ccc1b62997adf2f50cca8064951eb03', amount: 1n },
      },
    ],
    ['delegateBalance must be greater than or equal to 1 TRX', delegation({ balance: 999_999n })],
    [
      'delegateBalance must be less than or equal to available FreezeEnergyV2 balance',
      delegation({}),
    ],
    [
      'delegateBalance must be less than or equal to available FreezeBandwidthV2 balance',
      delegation({ resource: 'BANDWIDTH' }),
    ],
    [
      'delegated Resource does not exist',
      {
        type: 'UnDelegateResourceContract',
        value: { ...own, receiver_address: b.address, balance: 1n, resource: 'ENERGY' },
      },
    ],
    [
      'frozenBalance must be greater than or equal to 1 TRX',
      {
        type: 'FreezeBalanceV2Contract',
        value: { ...own, frozen_balance: 1n, resource: 'ENERGY' },
      },
    ],
    [
      'frozenBalance must be less than or equal to accountBalance',
      {
        type: 'FreezeBalanceV2Contract',
        value: { ...own, frozen_balance: 10n ** 16n, resource: 'ENERGY' },
      },
    ],
    [
      'no frozenBalance(Energy)',
      {
        type: 'UnfreezeBalanceV2Contract',
        value: { ...own, unfreeze_balance: 1n, resource: 'ENERGY' },
      },
    ],
    ['no unFreeze balance to withdraw ', { type: 'WithdrawExpireUnfreezeContract', value: own }],
    ['No unfreezeV2 list to cancel', { type: 'CancelAllUnfreezeV2Contract', value: own }],
    [
      'Account has existed',
      { type: 'AccountCreateContract', value: { ...own, account_address: b.address } },
    ],
    [
      'No contract or not a smart contract',
      { ...usdtCall, value: { ...own, contract_address: nobody, data: '' } },
    ],
    [
      'feeLimit must be >= 0 and <= 15000000000',
      {
        ...usdtCall,
        value: {
          ...own,
          contract_address: '41adfb4ffe8ccc1b62997adf2f50cca8064951eb03',
          data: '',
        },
      },
      { feeLimit: 15_000_000_001n },
    ],
  ]

  test.each(cases)('%s', (text, contract, options) => {
    const before = chain.viewAt(chain.head.number).tables.accounts.get(a.address)
    expect(refusalOf(build(contract, options))).toEqual([
      'CONTRACT_VALIDATE_ERROR',
      `Contract validate error : ${text}`,
    ])
    // A refused transaction changes nothing: no fee, no bandwidth.
    expect(chain.pending.tables.accounts.get(a.address)).toBe(before)
  })

  test('the rules of delegation in a life with stake', () => {
    sendAs(chain, a.privateKey, {
      type: 'FreezeBalanceV2Contract',
      value: { ...own, frozen_balance: 10_000_000n, resource: 'ENERGY' },
    })
    chain.mine()
    const refusal = (over: object) =>
      refusalOf(build(delegation(over)))[1].replace('Contract validate error : ', '')
    expect(refusal({ receiver_address: a.address })).toBe(
      'receiverAddress must not be the same as ownerAddress',
    )
    expect(refusal({ receiver_address: nobody })).toBe(`Account[${nobody}] not exists`)
    expect(refusal({ receiver_address: chain.network.usdt })).toBe(
      'Do not allow delegate resources to contract addresses',
    )
    expect(refusal({ lock: true, lock_period: 864_001n })).toBe(
      'The lock period of delegate resource cannot be less than 0 and cannot exceed 864000!',
    )
    sendAs(chain, a.privateKey, delegation({ lock: true, lock_period: 1_200n }))
    chain.mine()
    expect(refusal({ lock: true, lock_period: 100n })).toMatch(
      /^The lock period for ENERGY this time cannot be less than the remaining time\[\d+ms\] of the last lock period for ENERGY!$/,
    )
  })

  test('an account that does not exist cannot pay', () => {
    const stranger = '22'.repeat(32)
    const owner_address = addressOfPrivateKey(stranger)
    const value = { owner_address, to_address: b.address, amount: 1n }
    const [code, text] = refusalOf(build({ type: 'TransferContract', value }, {}, stranger))
    expect(code).toBe('CONTRACT_VALIDATE_ERROR')
    expect(text).toMatch(/account \[T\w{33}\] does not exist$/)
  })
})
