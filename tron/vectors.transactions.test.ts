import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, test } from 'vitest'
import { blockId, encodeHeaderRaw } from './block.ts'
import { buildTransaction } from './build.ts'
import { addressOfPrivateKey, privateKeyAt } from './keys.ts'
import { recover, sign } from './signature.ts'
import { decodeRaw, decodeTransaction, encodeRaw, encodeTransaction, txId } from './transaction.ts'
import { contractFromJson, fromJson, toJson } from './transactionJson.ts'
import vectors from './vectors/transactions.json' with { type: 'json' }

type Vector = (typeof vectors.txs)[number]
type Captured = Extract<Vector, { tx: object }>
type Signed = Captured & { expectSigner: string; tx: { signature: string[] } }
type FromHeader = Extract<Vector, { refBlock: object }>

const captured = vectors.txs.filter((vector): vector is Captured => 'tx' in vector && !!vector.tx)
const signed = captured.filter((vector): vector is Signed => 'signature' in vector.tx)
const fromHeader = vectors.txs.filter((vector): vector is FromHeader => 'refBlock' in vector)

test('every transaction of the vectors is tried', () => {
  expect(captured).toHaveLength(10)
  expect(signed).toHaveLength(6)
  expect(fromHeader).toHaveLength(4)
})

describe.each(captured)('$name', ({ tx }) => {
  test('raw_data gives raw_data_hex and txID', () => {
    const rawBytes = encodeRaw(fromJson(tx.raw_data))
    expect(bytesToHex(rawBytes)).toBe(tx.raw_data_hex)
    expect(txId(rawBytes)).toBe(tx.txID)
  })

  test('raw_data_hex gives raw_data', () => {
    const raw = decodeRaw(hexToBytes(tx.raw_data_hex))
    expect(raw).toEqual(fromJson(tx.raw_data))
    expect(toJson(raw, { visible: false })).toEqual({
      txID: tx.txID,
      raw_data: tx.raw_data,
      raw_data_hex: tx.raw_data_hex,
    })
  })

  test('the visible form is read back as the same transaction', () => {
    const raw = fromJson(tx.raw_data)
    expect(fromJson(toJson(raw, { visible: true }).raw_data)).toEqual(raw)
  })
})

test.each(signed)('$name: the signature is the owner’s', ({ tx, expectSigner }) => {
  expect(tx.signature.map((signature) => recover(tx.txID, signature))).toEqual([expectSigner])
})

describe.each(fromHeader)('$name', (vector) => {
  const { blockID, ...header } = vector.refBlock
  const build = {
    contract: contractFromJson({
      type: vector.build.type,
      parameter: { value: vector.build.value },
    }),
    headBlock: { id: blockID, timestamp: vector.refBlock.timestamp },
    timestamp: vector.build.timestamp,
    expirationMs: vector.build.expiration - vector.refBlock.timestamp,
  }

  test('the header gives the block id', () => {
    expect(blockId(encodeHeaderRaw(header), header.number)).toBe(blockID)
  })

  test('building on the block gives the bytes, the id and the JSON', () => {
    const built = buildTransaction(build.contract, build)
    expect(bytesToHex(built.rawBytes)).toBe(vector.raw_data_hex)
    expect(built.txId).toBe(vector.txID)
    expect(toJson(built.raw, { visible: false }).raw_data).toEqual(vector.tx_json.raw_data)
  })

  test('signing gives the published signature, but for the form of v', () => {
    const signature = sign(vector.txID, vector.privateKey)
    expect(signature.slice(0, 128)).toBe(vector.signature.slice(0, 128))
    expect(Number.parseInt(signature.slice(128), 16) - 27).toBe(
      Number.parseInt(vector.signature.slice(128), 16),
    )
    const owner = addressOfPrivateKey(vector.privateKey)
    expect(recover(vector.txID, signature)).toBe(owner)
    expect(recover(vector.txID, vector.signature)).toBe(owner)
  })
})

test('Trezor: the mnemonic signs what the device signed', () => {
  const vector = captured.find(({ name }) => name === 'trezor TransferContract')!
  const { mnemonic, tx } = vector as typeof vector & { mnemonic: string }
  const signature = (tx as typeof tx & { signature: string[] }).signature[0]!
  expect(sign(tx.txID, privateKeyAt(mnemonic, 0))).toBe(signature.toLowerCase())
})

test.each(vectors.signedHex)('$name', (vector) => {
  const decoded = decodeTransaction(hexToBytes(vector.hex))
  expect(bytesToHex(decoded.rawBytes)).toBe(vector.raw_data_hex)
  expect(txId(decoded.rawBytes)).toBe(vector.txID)
  expect(decoded.raw.contract.value.owner_address).toBe(vector.owner)
  expect(recover(vector.txID, decoded.signatures[0]!)).toBe(vector.signer)
  expect(bytesToHex(encodeTransaction(decoded))).toBe(vector.hex)
})
