import { expect, test } from 'vitest'
import { decodeBlock, decodeJsonTransaction } from './decodedBlock.ts'
import { parseJson } from './json.ts'
import { blockJson, epoch } from './testNode.ts'
import blocks from './vectors/blocks.json' with { type: 'json' }
import vectors from './vectors/transactions.json' with { type: 'json' }
import { DecodeError } from './wire.ts'

const captured = vectors.txs.flatMap((vector) => ('tx' in vector && vector.tx ? [vector.tx] : []))

test.each(blocks.blocks)('header $blockID, without transactions, is an empty block', (json) => {
  const { number, parentHash, timestamp } = json.block_header.raw_data
  expect(decodeBlock(json)).toEqual({
    number,
    id: json.blockID,
    parentId: parentHash,
    timestamp,
    transactions: [],
  })
})

test('real transactions are read, whatever their contract', () => {
  const block = decodeBlock(blockJson(7, epoch, captured))
  expect(block.transactions.map(({ txId }) => txId)).toEqual(captured.map(({ txID }) => txID))
  expect(block.transactions[4]).toEqual({
    txId: '6e22ab0ec065d18d20ff73adf8b338132803924e373d3146c6f36102c6542b6d',
    contract: {
      type: 'TransferContract',
      value: {
        owner_address: '4174d7980a2a3e48e3a863365542e92ab8d646e0aa',
        to_address: '41c3d34597fb01e25d4d8e7ef34ccdd0f05bf85473',
        amount: 6n,
      },
    },
    contractRet: 'SUCCESS',
    expiration: 1733675400000,
    feeLimit: 0n,
  })
})

function transaction(contract: object, more: object = {}) {
  return { txID: 'ab'.repeat(32), raw_data: { contract: [contract], ...more } }
}

test('a contract of an unknown type is kept raw', () => {
  const value = { proposal_id: 1 }
  const json = transaction({ type: 'ProposalApproveContract', parameter: { value } })
  expect(decodeJsonTransaction(json)).toMatchObject({
    contract: { type: 'unknown', name: 'ProposalApproveContract', value },
    contractRet: 'DEFAULT',
  })
})

test('a value from a later release does not stop the reader, an unreadable transfer does', () => {
  const freeze = { type: 'FreezeBalanceV2Contract', parameter: { value: { resource: 'GAS' } } }
  expect(decodeJsonTransaction(transaction(freeze)).contract).toMatchObject({ type: 'unknown' })
  const transfer = { type: 'TransferContract', parameter: { value: { amount: 'much' } } }
  expect(() => decodeJsonTransaction(transaction(transfer))).toThrow(DecodeError)
})

test('a timestamp in nanoseconds and an amount above 2^53 do no harm', () => {
  const json = parseJson(`{"txID":"${'ab'.repeat(32)}","raw_data":{"timestamp":1700000000000000001,
    "contract":[{"type":"TransferContract","parameter":{"value":{"amount":9007199254740993,
    "owner_address":"41${'11'.repeat(20)}","to_address":"41${'22'.repeat(20)}"}}}]}}`)
  const { contract } = decodeJsonTransaction(json)
  expect(contract.type === 'TransferContract' && contract.value.amount).toBe(9007199254740993n)
})

test('the genesis block prints no number', () => {
  const json = blockJson(0)
  const { number: _, ...raw_data } = json.block_header.raw_data
  const header = { raw_data: { ...raw_data, parentHash: '00'.repeat(32) } }
  expect(decodeBlock({ ...json, block_header: header }).number).toBe(0)
})

test.each([null, [], {}, { blockID: 'ab' }, { ...blockJson(1), transactions: {} }])(
  'junk %j is a DecodeError',
  (junk) => {
    expect(() => decodeBlock(junk)).toThrow(DecodeError)
  },
)
