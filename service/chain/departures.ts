import type { DecodedTransaction, HexAddress } from '@ergon/tron'

/** A transaction of any kind, sent by an address of ours. A failed one has cost a fee. */
export type Departure = {
  txid: string
  owner: HexAddress
  to: HexAddress | null
  /** SUN moved, delegated or taken back; 0 if it failed or its kind moves none. */
  amount: bigint
  contract: string
  /** The active permission that it was signed under; null: as the owner. */
  permission: number | null
}

type Known = { has(address: HexAddress): boolean }

export function departureOf(
  { txId, contract, contractRet }: DecodedTransaction,
  known: readonly Known[],
): Departure | undefined {
  const owner = (contract.value as { owner_address?: unknown } | undefined)?.owner_address
  if (typeof owner !== 'string' || !known.some((some) => some.has(owner))) return undefined
  const { type } = contract
  const name = type === 'unknown' ? contract.name : type
  const moved = contractRet === 'SUCCESS' ? movedBy(contract) : { to: null, amount: 0n }
  const permission = (contract as { permissionId?: number }).permissionId ?? null
  return { txid: txId, owner, contract: name, permission, ...moved }
}

function movedBy(contract: DecodedTransaction['contract']): Pick<Departure, 'to' | 'amount'> {
  switch (contract.type) {
    case 'TransferContract':
      return { to: contract.value.to_address, amount: contract.value.amount }
    case 'TriggerSmartContract':
      return { to: contract.value.contract_address, amount: contract.value.call_value ?? 0n }
    case 'FreezeBalanceV2Contract':
      return { to: null, amount: contract.value.frozen_balance }
    case 'DelegateResourceContract':
    case 'UnDelegateResourceContract':
      return { to: contract.value.receiver_address, amount: contract.value.balance }
    default:
      return { to: null, amount: 0n }
  }
}
