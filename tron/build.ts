import { isHexAddress } from './address.ts'
import type { Contract } from './contracts.ts'
import { contractFields, type Field } from './fields.ts'
import { encodeRaw, type RawTransaction, txId } from './transaction.ts'
import type { Value } from './valueCodec.ts'
import { EncodeError } from './wire.ts'

export type BuildOptions = {
  headBlock: { id: string; timestamp: number }
  /**
   * Default: the head block's, which two equal orders in one block would share; see
   * uniqueTimestamp.
   */
  timestamp?: number
  expirationMs?: number
  feeLimit?: bigint
  /** Memo, hex. */
  data?: string
}

export type BuiltTransaction = { raw: RawTransaction; rawBytes: Uint8Array; txId: string }

// java-tron refuses an expiration more than 24 hours after its head block.
const expirationMsMax = 24 * 60 * 60 * 1000

/** An unsigned transaction that is bound to the chain of the head block (TAPOS). */
export function buildTransaction(contract: Contract, options: BuildOptions): BuiltTransaction {
  const { headBlock, expirationMs = 60_000, feeLimit = 0n, data = '' } = options
  if (!/^[0-9a-f]{64}$/.test(headBlock.id)) throw new EncodeError('a block id is 64 hex digits')
  if (!(expirationMs > 0 && expirationMs <= expirationMsMax)) {
    throw new EncodeError(`expiration out of range: ${expirationMs} ms`)
  }
  if (feeLimit < 0n) throw new EncodeError('feeLimit is negative')
  checkValue(contractFields[contract.type], contract.value as Value)
  const raw: RawTransaction = {
    contract,
    refBlockBytes: headBlock.id.slice(12, 16),
    refBlockHash: headBlock.id.slice(16, 32),
    expiration: headBlock.timestamp + expirationMs,
    timestamp: options.timestamp ?? headBlock.timestamp,
    feeLimit,
    data,
  }
  const rawBytes = encodeRaw(raw)
  return { raw, rawBytes, txId: txId(rawBytes) }
}

export type UniqueTimestamp = { next(headTimestamp: number): number }

/**
 * Timestamps near the head block's time, each used once, so that two equal transactions built in
 * one 3-second block have different ids. `after` is the last one given before a restart, if known.
 */
export function uniqueTimestamp(after = 0): UniqueTimestamp {
  let last = after
  return {
    next(headTimestamp) {
      last = Math.max(headTimestamp, last + 1)
      return last
    },
  }
}

// Stricter than the codec, which writes any value: a wrong address or a negative amount in what we
// build is our own fault, and has to be found before it is signed.
function checkValue(fields: readonly Field[], value: Value): void {
  for (const { kind, name, presence } of fields) {
    const given = value[name]
    if (given === undefined) continue
    for (const item of presence === 'list' ? (given as unknown[]) : [given]) {
      if (kind === 'address' && !isHexAddress(String(item))) {
        throw new EncodeError(`${name} is not a hex address`)
      }
      if (kind === 'int64' && (item as bigint) < 0n) throw new EncodeError(`${name} is negative`)
      if (typeof kind === 'object' && 'message' in kind) checkValue(kind.message, item as Value)
    }
  }
}
