import type { HexAddress } from '@ergon/tron'
import type { ReadTables } from '../state.ts'
import { type BuiltInContract, type Contracts, reverted } from './builtIn.ts'
import { keccak256 } from './selector.ts'

const callEnergy = 200n

/** The code behind an address: built in, or deployed. */
export function codeAt(
  contracts: Contracts,
  tables: ReadTables,
  address: HexAddress,
): BuiltInContract | undefined {
  const builtIn = contracts.get(address)
  if (builtIn) return builtIn
  const deployed = tables.deployed.get(address)
  if (!deployed) return undefined
  return { name: deployed.name ?? '', abi: [], methods: {}, run: () => reverted(callEnergy) }
}

/** Where a contract of this transaction lies: a hash of the transaction's id and its owner. */
export function deployedAddress(txid: string, owner: HexAddress): HexAddress {
  return `41${keccak256(Buffer.from(txid + owner, 'hex')).toString('hex', 12)}`
}
