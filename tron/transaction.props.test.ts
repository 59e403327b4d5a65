import { bytesToHex } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hexBytes, rawTransactionOf, whole } from './arbitraries.ts'
import { parseJson, stringifyJson } from './json.ts'
import {
  decodeRaw,
  decodeTransaction,
  encodeRaw,
  encodeTransaction,
  type RawTransaction,
} from './transaction.ts'
import { fromJson, toJson } from './transactionJson.ts'
import { DecodeError, EncodeError, readFields } from './wire.ts'

const rawTransaction = rawTransactionOf(whole)

test('decodeRaw gives back what encodeRaw was given', () => {
  fc.assert(
    fc.property(rawTransaction, (raw) => {
      expect(decodeRaw(encodeRaw(raw))).toEqual(raw)
    }),
    { numRuns: 500 },
  )
})

test.each([true, false])('fromJson gives back what toJson printed, visible %s', (visible) => {
  fc.assert(
    fc.property(rawTransaction, (raw) => {
      const printed = stringifyJson(toJson(raw, { visible }).raw_data)
      expect(fromJson(parseJson(printed))).toEqual(raw)
    }),
    { numRuns: 300 },
  )
})

test('decodeTransaction gives back the bytes and the signatures', () => {
  const signed = fc.record({
    raw: rawTransaction,
    signatures: fc.array(hexBytes(65), { maxLength: 5 }),
    contractRet: fc.option(fc.constantFrom('DEFAULT', 'SUCCESS', 'REVERT', 'INVALID_CODE'), {
      nil: undefined,
    }),
  })
  fc.assert(
    fc.property(signed, ({ raw, signatures, contractRet }) => {
      const rawBytes = encodeRaw(raw)
      const transaction = { rawBytes, signatures, ...(contractRet ? { contractRet } : {}) }
      expect(decodeTransaction(encodeTransaction(transaction))).toEqual({ ...transaction, raw })
    }),
  )
})

function onlyDecodeError(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(DecodeError)
  }
}

test('junk bytes are a DecodeError or a value, never a crash', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (junk) => {
      onlyDecodeError(() => readFields(junk))
      onlyDecodeError(() => decodeRaw(junk))
      onlyDecodeError(() => decodeTransaction(junk))
    }),
    { numRuns: 2000 },
  )
})

test('a real transaction with one byte changed or cut off is a DecodeError or a value', () => {
  const damage = fc.record({ raw: rawTransaction, at: fc.nat(), byte: fc.nat({ max: 255 }) })
  fc.assert(
    fc.property(damage, ({ raw, at, byte }) => {
      const bytes = encodeRaw(raw)
      const changed = bytes.with(at % bytes.length, byte)
      onlyDecodeError(() => decodeRaw(changed))
      onlyDecodeError(() => decodeRaw(bytes.subarray(0, at % bytes.length)))
      onlyDecodeError(() =>
        decodeTransaction(encodeTransaction({ rawBytes: changed, signatures: [] })),
      )
    }),
    { numRuns: 1000 },
  )
})

test('junk JSON is a DecodeError or a value', () => {
  const withJunk = fc.record({ raw: rawTransaction, junk: fc.jsonValue(), at: fc.nat() })
  fc.assert(
    fc.property(withJunk, ({ raw, junk, at }) => {
      onlyDecodeError(() => fromJson(junk))
      const json = toJson(raw, { visible: false }).raw_data
      const value: Record<string, unknown> = json.contract[0].parameter.value
      const names = Object.keys(value)
      value[names[at % names.length]!] = junk
      onlyDecodeError(() => fromJson(json))
    }),
    { numRuns: 1000 },
  )
})

const transfer: RawTransaction = {
  contract: {
    type: 'TransferContract',
    value: {
      owner_address: `41${'11'.repeat(20)}`,
      to_address: `41${'22'.repeat(20)}`,
      amount: 1n,
    },
  },
  refBlockBytes: '0001',
  refBlockHash: '0011223344556677',
  expiration: 1_800_000_060_000,
  timestamp: 1_800_000_000_000,
  feeLimit: 0n,
  data: '',
}

test('fields we do not know are skipped, and two contracts are refused', () => {
  const bytes = encodeRaw(transfer)
  const scripts = Uint8Array.of(12 * 8 + 2, 1, 0xff)
  expect(decodeRaw(Buffer.concat([bytes, scripts]))).toEqual(transfer)
  expect(() => decodeRaw(Buffer.concat([bytes, bytes]))).toThrow('not exactly one contract')
})

test('a type_url that names another contract is refused', () => {
  const disguised = bytesToHex(encodeRaw(transfer)).replace(
    Buffer.from('protocol.TransferContract').toString('hex'),
    Buffer.from('protocol.TransferContracT').toString('hex'),
  )
  expect(() => decodeRaw(Buffer.from(disguised, 'hex'))).toThrow('type_url')
})

test('an amount outside int64 is never written', () => {
  const value = { ...transfer.contract.value, amount: 2n ** 63n }
  const contract = { type: 'TransferContract', value } as RawTransaction['contract']
  expect(() => encodeRaw({ ...transfer, contract })).toThrow(EncodeError)
})

test('a name that begins with a byte order mark keeps it', () => {
  const owner = { permission_name: '\ufeffowner', threshold: 1n, keys: [] }
  const raw: RawTransaction = {
    ...transfer,
    contract: {
      type: 'AccountPermissionUpdateContract',
      value: { owner_address: `41${'11'.repeat(20)}`, owner, actives: [] },
    },
  }
  expect(decodeRaw(encodeRaw(raw))).toEqual(raw)
})
