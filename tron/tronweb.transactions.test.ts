import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import fc from 'fast-check'
import { TronWeb, utils } from 'tronweb'
import { describe, expect, test } from 'vitest'
import { toBase58 } from './address.ts'
import {
  address,
  contractValues,
  hexBytes,
  privateKey,
  rawTransactionOf,
  safe,
} from './arbitraries.ts'
import { buildTransaction } from './build.ts'
import type { ContractOf, ContractType, Permission } from './contracts.ts'
import { addressOfPrivateKey } from './keys.ts'
import { sign } from './signature.ts'
import { encodeRaw, encodeTransaction, txId } from './transaction.ts'
import { toJson } from './transactionJson.ts'

// TronWeb is the reference: its builders get the reference block, so they call no node.
const tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:9' })
const builder = tronWeb.transactionBuilder

type Built = { txID: string; raw_data_hex: string; raw_data: unknown }
type Context = { blockHeader: object; permissionId?: number }
type Oracle<T extends ContractType> = (contract: ContractOf<T>, options: Context) => Promise<Built>

const n = Number
const referenceTo = (headBlock: { id: string; timestamp: number }) => ({
  ref_block_bytes: headBlock.id.slice(12, 16),
  ref_block_hash: headBlock.id.slice(16, 32),
  expiration: headBlock.timestamp + 60_000,
  timestamp: headBlock.timestamp,
})

const oracles: { [T in ContractType]?: Oracle<T> } = {
  TransferContract: ({ value }, options) =>
    builder.sendTrx(toBase58(value.to_address), n(value.amount), value.owner_address, options),
  AccountCreateContract: ({ value }, options) =>
    builder.createAccount(toBase58(value.account_address), value.owner_address, options),
  FreezeBalanceV2Contract: ({ value }, options) =>
    builder.freezeBalanceV2(
      n(value.frozen_balance),
      value.resource as 'ENERGY',
      value.owner_address,
      options,
    ),
  UnfreezeBalanceV2Contract: ({ value }, options) =>
    builder.unfreezeBalanceV2(
      n(value.unfreeze_balance),
      value.resource as 'ENERGY',
      value.owner_address,
      options,
    ),
  AccountPermissionUpdateContract: ({ value }, options) =>
    builder.updateAccountPermissions(
      value.owner_address,
      printed(value.owner!, 0) as never,
      value.witness ? (printed(value.witness, 1) as never) : null,
      value.actives.map((active) => printed(active, 2)) as never,
      options,
    ),
  WithdrawExpireUnfreezeContract: ({ value }, options) =>
    builder.withdrawExpireUnfreeze(value.owner_address, options),
  CancelAllUnfreezeV2Contract: ({ value }, options) =>
    builder.cancelUnfreezeBalanceV2(value.owner_address, options),
  DelegateResourceContract: ({ value }, options) =>
    builder.delegateResource(
      n(value.balance),
      value.receiver_address,
      value.resource as 'ENERGY',
      value.owner_address,
      value.lock ?? false,
      value.lock_period === undefined ? undefined : n(value.lock_period),
      options,
    ),
  UnDelegateResourceContract: ({ value }, options) =>
    builder.undelegateResource(
      n(value.balance),
      value.receiver_address,
      value.resource as 'ENERGY',
      value.owner_address,
      options,
    ),
}

const printed = ({ threshold, keys, ...permission }: Permission, type: number) => ({
  ...permission,
  type,
  threshold: n(threshold),
  keys: keys.map(({ address, weight }) => ({ address, weight: n(weight) })),
})

const block = fc.record({
  id: hexBytes(32),
  timestamp: fc.integer({ min: 1_500_000_000_000, max: 2_000_000_000_000 }),
})

describe.each(Object.keys(oracles) as ContractType[])('%s', (type) => {
  test('has the bytes and the id that TronWeb’s builder gives it', async () => {
    const drawn = fc.record({
      value: contractValues(safe)[type] as fc.Arbitrary<never>,
      headBlock: block,
      permissionId: fc.integer({ min: 0, max: 9 }),
    })
    const oracle = oracles[type] as Oracle<typeof type>
    await fc.assert(
      fc.asyncProperty(drawn, async ({ value, headBlock, permissionId }) => {
        // TronWeb refuses a transfer to oneself, which may be drawn by chance.
        const addresses = Object.entries(value).filter(([name]) => name.endsWith('_address'))
        fc.pre(new Set(addresses.map(([, one]) => one)).size === addresses.length)
        const built = buildTransaction({ type, value, permissionId }, { headBlock })
        const theirs = await oracle({ type, value } as ContractOf<typeof type>, {
          permissionId,
          blockHeader: referenceTo(headBlock),
        })
        expect(bytesToHex(built.rawBytes)).toBe(theirs.raw_data_hex)
        expect(built.txId).toBe(theirs.txID)
      }),
      { numRuns: 60 },
    )
  })
})

test('a TRC-20 transfer has the bytes and the id that TronWeb’s builder gives it', async () => {
  const drawn = fc.record({
    value: contractValues(safe).TriggerSmartContract,
    to: address,
    amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    feeLimit: fc.bigInt({ min: 1n, max: 15_000_000_000n }),
    headBlock: block,
  })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ value, to, amount, feeLimit, headBlock }) => {
      const word = (hex: string) => hex.padStart(64, '0')
      const data = `a9059cbb${word(to.slice(2))}${word(amount.toString(16))}`
      const type = 'TriggerSmartContract'
      const built = buildTransaction({ type, value: { ...value, data } }, { headBlock, feeLimit })
      const { transaction } = await builder.triggerSmartContract(
        value.contract_address,
        'transfer(address,uint256)',
        {
          txLocal: true,
          feeLimit: n(feeLimit),
          callValue: n(value.call_value ?? 0n),
          tokenValue: n(value.call_token_value ?? 0n),
          tokenId: n(value.token_id ?? 0n) as never,
          blockHeader: referenceTo(headBlock) as never,
        },
        [
          { type: 'address', value: to },
          { type: 'uint256', value: amount.toString() },
        ],
        value.owner_address,
      )
      expect(bytesToHex(built.rawBytes)).toBe(transaction.raw_data_hex)
      expect(built.txId).toBe(transaction.txID)
    }),
    { numRuns: 60 },
  )
})

test('every contract, with memo and fee limit, is encoded as TronWeb’s protobuf encodes its JSON', () => {
  fc.assert(
    fc.property(rawTransactionOf(safe), (raw) => {
      const { raw_data } = toJson(raw, { visible: false })
      const pb = utils.transaction.txJsonToPb({ raw_data } as never)
      expect(bytesToHex(encodeRaw(raw))).toBe(utils.transaction.txPbToRawDataHex(pb).toLowerCase())
      expect(txId(encodeRaw(raw))).toBe(utils.transaction.txPbToTxID(pb).replace(/^0x/, ''))
    }),
    { numRuns: 400 },
  )
})

test('a signed transaction is what TronWeb signs, and its bytes are the protobuf’s', async () => {
  const drawn = fc.record({ raw: rawTransactionOf(safe), key: privateKey })
  await fc.assert(
    fc.asyncProperty(drawn, async ({ raw, key }) => {
      raw.contract.value.owner_address = addressOfPrivateKey(key)
      delete raw.contract.permissionId
      const json = toJson(raw, { visible: false })
      const signature = sign(json.txID, key)
      const theirs = await tronWeb.trx.sign(json as never, key)
      // TronWeb prints v in upper case and the rest in lower case.
      const [printed] = (theirs as { signature: string[] }).signature
      expect(printed?.toLowerCase()).toBe(signature)
      const pb = utils.transaction.txJsonToPb(json as never)
      pb.addSignature(hexToBytes(signature))
      const bytes = encodeTransaction({ rawBytes: encodeRaw(raw), signatures: [signature] })
      expect(bytesToHex(bytes)).toBe(bytesToHex(pb.serializeBinary()))
    }),
    { numRuns: 40 },
  )
})

test('a transaction with its verdict, as it lies in a block, is what the protobuf writes', () => {
  const json = toJson(fc.sample(rawTransactionOf(safe), { numRuns: 1, seed: 1 })[0]!, {
    visible: false,
  })
  const pb = utils.transaction.txJsonToPb(json as never)
  const { Result } = pb.constructor
  for (const [contractRet, number] of Object.entries(Result.contractResult) as [string, number][]) {
    const result = new Result()
    result.setContractret(number)
    pb.setRetList([result])
    const bytes = encodeTransaction({
      rawBytes: hexToBytes(json.raw_data_hex),
      signatures: [],
      contractRet,
    })
    expect(bytesToHex(bytes)).toBe(bytesToHex(pb.serializeBinary()))
  }
})
