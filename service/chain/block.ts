import type { DecodedBlock, DecodedTransaction, HexAddress } from '@ergon/tron'

/** What other rooms need to know of a block, already matched against the watched addresses. */
export type BlockFacts = {
  number: number
  id: string
  time: Date
  transfers: Transfer[]
  delegations: Delegation[]
}

/** TRX that arrived at an address we watch. */
export type Transfer = {
  txid: string
  /** 0 is the transaction itself; internal transfers of a contract call count from 1. */
  position: number
  from: HexAddress
  to: HexAddress
  amount: bigint
  purpose: string
  expiresAt: Date
}

export type Delegation = {
  kind: 'delegate' | 'undelegate'
  txid: string
  owner: HexAddress
  receiver: HexAddress
  stake: bigint
}

export type OrphanedBlock = { number: number; id: string }

/** A fact is taken from what the block says happened; a failed call moved nothing. */
export function factsOf(block: DecodedBlock, watched: ReadonlyMap<HexAddress, string>): BlockFacts {
  const transfers: Transfer[] = []
  const delegations: Delegation[] = []
  for (const transaction of block.transactions) {
    if (transaction.contractRet !== 'SUCCESS') continue
    const transfer = transferOf(transaction, watched)
    if (transfer) transfers.push(transfer)
    const delegation = delegationOf(transaction)
    if (delegation) delegations.push(delegation)
  }
  const { number, id, timestamp } = block
  return { number, id, time: new Date(timestamp), transfers, delegations }
}

function transferOf(
  { contract, txId, expiration }: DecodedTransaction,
  watched: ReadonlyMap<HexAddress, string>,
): Transfer | undefined {
  if (contract.type !== 'TransferContract') return undefined
  const { owner_address, to_address, amount } = contract.value
  const purpose = watched.get(to_address)
  if (purpose === undefined || amount <= 0n) return undefined
  const expiresAt = new Date(expiration)
  return {
    txid: txId,
    position: 0,
    from: owner_address,
    to: to_address,
    amount,
    purpose,
    expiresAt,
  }
}

function delegationOf({ contract, txId }: DecodedTransaction): Delegation | undefined {
  const isDelegate = contract.type === 'DelegateResourceContract'
  if (!isDelegate && contract.type !== 'UnDelegateResourceContract') return undefined
  const { owner_address, receiver_address, balance, resource } = contract.value
  if (resource !== 'ENERGY') return undefined
  const kind = isDelegate ? 'delegate' : 'undelegate'
  return { kind, txid: txId, owner: owner_address, receiver: receiver_address, stake: balance }
}
