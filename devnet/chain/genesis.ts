import { type HexAddress, parseAddress } from '@ergon/tron'
import { defaultPermissions, newAccount } from './account.ts'
import type { BuiltInContract } from './contracts/builtIn.ts'
import { splitter } from './contracts/splitter.ts'
import { mint, usdt } from './contracts/usdt.ts'
import {
  contractOwnerAddress,
  type FundedKey,
  fundedKeys,
  fundedSun,
  marketplaceKeys,
  splitterAddress,
  usdtAddress,
  witnessKey,
} from './networkKeys.ts'
import { firstWitness, maintenanceAfter } from './rewards.ts'
import type { WriteTables } from './state.ts'

/** JSON of the file DEVNET_GENESIS names. Amounts are integers: SUN, and millionths of a USDT. */
export type Genesis = {
  accounts: GenesisAccount[]
  /** Total weight in TRX, genesis stakes included; the rest is "the rest of the network". */
  total_energy_weight_trx?: number
  total_net_weight_trx?: number
}

export type GenesisAccount = {
  address: string
  balance_sun: number | bigint
  usdt?: number | bigint
  frozen_energy_sun?: number | bigint
  frozen_bandwidth_sun?: number | bigint
  /** Becomes the account's only active permission, id 2. */
  active_permission?: { address: string; operations: string }
}

const fundedUsdt = 1_000_000_000_000n
// Room for 100,000,000 Energy each at 10 Energy per TRX, and bandwidth for their transactions.
const marketplaceStake = { ENERGY: 10_000_000_000_000n, BANDWIDTH: 10_000_000_000_000n }

/** Keys and contracts that every devnet has, whatever its genesis file says. */
export type Network = {
  funded: readonly FundedKey[]
  /** Stakes of the marketplaces' stand-ins; an account without one does nothing. */
  marketplaces: readonly FundedKey[]
  witness: FundedKey
  contractOwner: HexAddress
  usdt: HexAddress
  splitter: HexAddress
  contracts: ReadonlyMap<HexAddress, BuiltInContract>
}

export const network: Network = {
  funded: fundedKeys,
  marketplaces: Object.values(marketplaceKeys),
  witness: witnessKey,
  contractOwner: contractOwnerAddress,
  usdt: usdtAddress,
  splitter: splitterAddress,
  contracts: new Map([
    [usdtAddress, usdt],
    [splitterAddress, splitter],
  ]),
}

/** The network of one chain: a contract that a test adds to it is not on any other chain. */
export function createNetwork(): Network {
  return { ...network, contracts: new Map(network.contracts) }
}

/** Fills empty tables. Accounts of the file win over the funded ones of the same address. */
export function applyGenesis(tables: WriteTables, genesis: Genesis, time: number): void {
  const { funded, witness, contractOwner, contracts } = network
  tables.totals.set('energyWeight', BigInt(genesis.total_energy_weight_trx ?? 18_000_000_000))
  tables.totals.set('netWeight', BigInt(genesis.total_net_weight_trx ?? 43_200_000_000))
  tables.totals.set('cycle', 1n)
  tables.totals.set('maintenance', BigInt(maintenanceAfter(time)))
  tables.witnesses.set(witness.address, firstWitness)
  tables.accounts.set(witness.address, { ...newAccount(time), isWitness: true })
  tables.accounts.set(contractOwner, newAccount(time))
  for (const address of contracts.keys()) tables.accounts.set(address, newAccount(time, 'Contract'))
  for (const { address } of network.marketplaces) {
    const frozen = { ...marketplaceStake, TRON_POWER: 0n }
    tables.accounts.set(address, { ...newAccount(time), frozen })
  }
  const listed = new Set<HexAddress>()
  for (const account of genesis.accounts) listed.add(addAccount(tables, account, time))
  for (const { address } of funded) {
    if (listed.has(address)) continue
    tables.accounts.set(address, { ...newAccount(time), balance: fundedSun })
    mint(tables, address, fundedUsdt)
  }
}

function addAccount(tables: WriteTables, account: GenesisAccount, time: number): HexAddress {
  const address = genesisAddress(account.address)
  const permission = account.active_permission
  const { owner, actives } = defaultPermissions(address, false)
  const frozen = {
    ENERGY: amount(account, 'frozen_energy_sun'),
    BANDWIDTH: amount(account, 'frozen_bandwidth_sun'),
    TRON_POWER: 0n,
  }
  tables.accounts.set(address, {
    ...newAccount(time),
    balance: amount(account, 'balance_sun'),
    frozen,
    ...(permission
      ? {
          permissions: {
            owner,
            actives: actives.map((active) => ({
              ...active,
              operations: permission.operations.toLowerCase(),
              keys: [{ address: genesisAddress(permission.address), weight: 1n }],
            })),
          },
        }
      : {}),
  })
  const tokens = amount(account, 'usdt')
  if (tokens > 0n) mint(tables, address, tokens)
  return address
}

function amount(
  account: GenesisAccount,
  name: 'balance_sun' | 'usdt' | 'frozen_energy_sun' | 'frozen_bandwidth_sun',
): bigint {
  const value = account[name] ?? 0
  const isAmount =
    typeof value === 'bigint' ? value >= 0n : Number.isSafeInteger(value) && value >= 0
  if (!isAmount) throw new Error(`genesis: ${name} of ${account.address} is not an integer amount`)
  return BigInt(value)
}

function genesisAddress(text: string): HexAddress {
  const address = parseAddress(text)
  if (!address) throw new Error(`genesis: ${text} is not a TRON address`)
  return address
}
