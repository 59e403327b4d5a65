import { describe, expect, test } from 'vitest'
import { decodeTransactionInfo, transfersOf } from './transactionInfo.ts'
import vectors from './vectors/transaction-infos.json' with { type: 'json' }

test.each(vectors.infos)('$name: energy adds up', ({ info }) => {
  const { receipt, ...decoded } = decodeTransactionInfo(info)
  // Both captures are from the time of 210 SUN per unit of Energy.
  const burned = receipt.energyFee / 210n
  expect(receipt.energyUsage + receipt.originEnergyUsage + burned).toBe(receipt.energyUsageTotal)
  expect(decoded.id).toBe(info.id)
  expect(decoded.fee).toBe(BigInt(info.fee ?? 0))
  expect(decoded.fee).toBe(receipt.energyFee + receipt.netFee)
  expect(decoded.failed).toBe(info.result === 'FAILED')
})

test('a USDT transfer: the log carries the token’s address with its 41', () => {
  const info = decodeTransactionInfo(vectors.infos[0]!.info)
  expect(info.logs[0]?.address).toBe(info.contractAddress)
  expect(info.receipt.result).toBe('SUCCESS')
})

test('a failure says why, in text', () => {
  const failed = vectors.infos.find(({ info }) => info.result === 'FAILED')!
  expect(decodeTransactionInfo(failed.info).message).toMatch(/^Not enough energy for 'SSTORE'/)
})

const from = `41${'11'.repeat(20)}`
const to = `41${'22'.repeat(20)}`

function called(internal_transactions: object[], more: object = {}) {
  const receipt = { result: 'SUCCESS' }
  return decodeTransactionInfo({ id: 'ab'.repeat(32), receipt, internal_transactions, ...more })
}

const internal = (callValueInfo: object[], more: object = {}) => ({
  hash: 'cd'.repeat(32),
  caller_address: from,
  transferTo_address: to,
  callValueInfo,
  note: '63616c6c',
  ...more,
})

describe('transfersOf', () => {
  test('gives TRX that moved, by its place in the list', () => {
    const info = called([
      internal([{}]),
      internal([{ callValue: 5 }]),
      internal([{ callValue: 6, tokenId: '1000001' }]),
      internal([{ callValue: 7 }], { rejected: true }),
      internal([{ callValue: 9007199254740993n }]),
      internal([]),
    ])
    expect(transfersOf(info)).toEqual([
      { index: 1, from, to, amount: 5n },
      { index: 4, from, to, amount: 9007199254740993n },
    ])
    expect(info.internalTransactions[0]?.note).toBe('call')
  })

  test.each([{ result: 'FAILED' }, { receipt: { result: 'REVERT' } }, { receipt: {} }])(
    'gives none of a call that did not succeed: %j',
    (more) => {
      expect(transfersOf(called([internal([{ callValue: 5 }])], more))).toEqual([])
    },
  )
})
