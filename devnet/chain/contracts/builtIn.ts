import type { HexAddress } from '@ergon/tron'
import type { WriteTables } from '../state.ts'

/** An entry of the ABI as java-tron prints it: capitalised types, no `inputs` when empty. */
export type AbiEntry = {
  type: 'Function' | 'Event'
  name: string
  constant?: true
  inputs?: { name: string; type: string; indexed?: boolean }[]
  outputs?: { name?: string; type: string }[]
  stateMutability?: 'View' | 'Nonpayable' | 'Payable'
}

export type Call = {
  caller: HexAddress
  contract: HexAddress
  callValue: bigint
  /** Hex calldata. */
  data: string
  tables: WriteTables
  /** Time of the block before, for accounts that the call creates. */
  timestamp: number
}

type Log = { address: string; topics: string[]; data: string }
type InternalTransfer = { from: HexAddress; to: HexAddress; sun: bigint }

export type CallResult = {
  /** A contract's own run counts it without the penalty, withPenalty() adds that. */
  energy: bigint
  /** The part of the energy that the dynamic energy model adds. */
  penalty: bigint
  /** Instructions of 3 Energy; each loses the fraction of its penalty. */
  steps?: bigint
  output: string
  reverted: boolean
  logs: Log[]
  internal: InternalTransfer[]
}

/** A contract written in TypeScript that answers like the real one and costs what it costs. */
export type BuiltInContract = {
  name: string
  abi: AbiEntry[]
  /** Signature of each method by its selector; the first four bytes of the calldata. */
  methods: Record<string, string>
  run(call: Call): CallResult
  /** Where its dynamic energy model begins: busy contracts have a factor. */
  dynamic?: { factor: number; others: bigint }
  /** Its deployer's stake pays this part of what its users take, as far as it goes. */
  sharing?: { origin: HexAddress; percent: bigint }
}

export type Contracts = ReadonlyMap<HexAddress, BuiltInContract>

export function word(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

export function addressWord(address: HexAddress): string {
  return address.slice(2).padStart(64, '0')
}

/** Argument n of the calldata; like the EVM, what is missing at the end reads as zero. */
export function argument(data: string, n: number): string {
  return data.slice(8 + n * 64, 72 + n * 64).padEnd(64, '0')
}

/** Only the low 20 bytes count: calldata with junk above them exists in the wild. */
export function addressArgument(data: string, n: number): HexAddress {
  return `41${argument(data, n).slice(24)}`
}

export function reverted(energy: bigint): CallResult {
  return { energy, penalty: 0n, output: '', reverted: true, logs: [], internal: [] }
}

export function returned(
  energy: bigint,
  output: string,
  more: Partial<CallResult> = {},
): CallResult {
  return { energy, penalty: 0n, output, reverted: false, logs: [], internal: [], ...more }
}
