import {
  type DecodedBlock,
  type DecodedTransaction,
  type HexAddress,
  type TransactionInfo,
  transfersOf,
} from '@ergon/tron'
import type { AddressMap } from './addressMap.ts'
import { type Departure, departureOf } from './departures.ts'

/** A block with the receipt of each transaction at the same place, or with none when nothing was called. */
export type FetchedBlock = DecodedBlock & { infos: TransactionInfo[] }

/** The facts of a block for other rooms, matched against the watched addresses. */
export type BlockFacts = {
  number: number
  id: string
  time: Date
  transfers: Transfer[]
  tokens: TokenTransfer[]
  delegations: Delegation[]
  calls: ContractCall[]
  /** Transactions sent by watched addresses and by the treasury. */
  departures: Departure[]
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

/** A TRC-20 token that arrived at an address we watch: recorded, never credited. */
export type TokenTransfer = {
  txid: string
  position: number
  token: HexAddress
  to: HexAddress
  amount: bigint
}

export type Delegation = {
  kind: 'delegate' | 'undelegate'
  txid: string
  owner: HexAddress
  receiver: HexAddress
  stake: bigint
}

/** Resources used by a call of a watched caller, also of a failed one. */
export type ContractCall = {
  txid: string
  /** Its place in the block. */
  position: number
  caller: HexAddress
  result: string
  /** Taken from the caller's own and delegated pool. */
  energyUsage: bigint
  /** All Energy of the call, without the deployer's part. */
  energy: bigint
  /** SUN that the caller burned for Energy. */
  burned: bigint
  feeLimit: bigint
  expiresAt: Date
}

export type OrphanedBlock = { number: number; id: string }

type Watched = Pick<AddressMap, 'get' | 'has'>
type Callers = ReadonlySet<HexAddress>
type Others = { callers?: Callers; treasury?: ReadonlySet<HexAddress> }

const NOBODY: Callers = new Set()

const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Extracts the facts of a block. A failed call moves nothing, but uses Energy. */
export function factsOf(
  block: FetchedBlock,
  watched: Watched,
  { callers = NOBODY, treasury = NOBODY }: Others = {},
): BlockFacts {
  const transfers: Transfer[] = []
  const tokens: TokenTransfer[] = []
  const delegations: Delegation[] = []
  const calls: ContractCall[] = []
  const departures: Departure[] = []
  const known = [treasury, watched]
  block.transactions.forEach((transaction, position) => {
    const info = block.infos[position]
    const call = callOf(transaction, position, { callers, info })
    if (call) calls.push(call)
    const departure = departureOf(transaction, known)
    if (departure) departures.push(departure)
    if (transaction.contractRet !== 'SUCCESS') return
    const transfer = transferOf(transaction, watched)
    if (transfer) transfers.push(transfer)
    const delegation = delegationOf(transaction)
    if (delegation) delegations.push(delegation)
    // Plain transfers have no internal transactions.
    if (info && info.internalTransactions.length > 0) {
      transfers.push(...internalTransfers(transaction, info, watched))
    }
    if (info && info.logs.length > 0) tokens.push(...tokenTransfers(info, watched))
  })
  const { number, id, timestamp } = block
  const time = new Date(timestamp)
  return { number, id, time, transfers, tokens, delegations, calls, departures }
}

function transferOf(
  { contract, txId, expiration }: DecodedTransaction,
  watched: Watched,
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

/** Exchanges pay out of contract wallets: ignoring these would lose customers' money. */
function internalTransfers(
  { txId, expiration }: DecodedTransaction,
  info: TransactionInfo,
  watched: Watched,
): Transfer[] {
  return transfersOf(info).flatMap(({ index, from, to, amount }) => {
    const purpose = watched.get(to)
    if (purpose === undefined) return []
    const expiresAt = new Date(expiration)
    return [{ txid: txId, position: index + 1, from, to, amount, purpose, expiresAt }]
  })
}

function tokenTransfers({ id, logs }: TransactionInfo, watched: Watched): TokenTransfer[] {
  return logs.flatMap(({ address, topics, data }, position) => {
    const receiver = topics[2]
    if (topics[0] !== TRANSFER_TOPIC || !receiver) return []
    // Only the low 20 bytes of the word are the address.
    const to = `41${receiver.slice(-40)}`
    return watched.has(to) && /^[0-9a-f]{64}$/.test(data)
      ? [{ txid: id, position, token: address, to, amount: BigInt(`0x${data}`) }]
      : []
  })
}

function delegationOf({ contract, txId }: DecodedTransaction): Delegation | undefined {
  const isDelegate = contract.type === 'DelegateResourceContract'
  if (!isDelegate && contract.type !== 'UnDelegateResourceContract') return undefined
  const { owner_address, receiver_address, balance, resource } = contract.value
  if (resource !== 'ENERGY') return undefined
  const kind = isDelegate ? 'delegate' : 'undelegate'
  return { kind, txid: txId, owner: owner_address, receiver: receiver_address, stake: balance }
}

/** The caller of a contract call or deployment, which uses Energy. */
export function vmCallerOf({ contract }: DecodedTransaction): HexAddress | undefined {
  if (contract.type === 'TriggerSmartContract') return contract.value.owner_address
  if (contract.type !== 'unknown' || contract.name !== 'CreateSmartContract') return undefined
  const value = contract.value as { owner_address?: unknown }
  return typeof value?.owner_address === 'string' ? value.owner_address : ''
}

function callOf(
  transaction: DecodedTransaction,
  position: number,
  { callers, info }: { callers: Callers; info: TransactionInfo | undefined },
): ContractCall | undefined {
  const caller = callers.size > 0 ? vmCallerOf(transaction) : undefined
  if (caller === undefined || !callers.has(caller)) return undefined
  const { receipt } = info!
  return {
    txid: transaction.txId,
    position,
    caller,
    result: transaction.contractRet,
    energyUsage: receipt.energyUsage,
    energy: receipt.energyUsageTotal - receipt.originEnergyUsage,
    burned: receipt.energyFee,
    feeLimit: transaction.feeLimit,
    expiresAt: new Date(transaction.expiration),
  }
}
