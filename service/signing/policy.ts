import { decodeRaw, type RawTransaction, txId } from '@ergon/tron'
import type { WaitingRow } from './store.ts'

/** What the signer holds for itself when it judges a request; nothing of it comes from the request. */
export type PolicyContext = {
  stakeAddresses: ReadonlySet<string>
  /** Stake that may be delegated in an hour, in SUN, and what was delegated in the last one. */
  delegatedPerHourMax: bigint
  delegatedThisHour: bigint
}

/** A sentence when the request must not be signed. */
export function objectionTo(request: WaitingRow, context: PolicyContext): string | undefined {
  const raw = decodeOwn(request)
  if (typeof raw === 'string') return raw
  switch (request.purpose) {
    case 'delegate':
      return objectionToDelegate(raw, context)
    case 'reclaim':
      return objectionToReclaim(raw, context)
    default:
      return `purpose ${request.purpose} is not one the signer knows`
  }
}

function decodeOwn(request: WaitingRow): RawTransaction | string {
  if (txId(request.raw) !== request.txid) return 'the txid is not the hash of the bytes'
  const raw = decodeRaw(request.raw)
  const { owner_address } = raw.contract.value
  if (owner_address !== request.owner) return 'the bytes name another owner than the request'
  if (raw.expiration !== request.expiresAt.getTime()) return 'the bytes expire at another time'
  return raw
}

function objectionToDelegate({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'DelegateResourceContract') return 'not a delegation'
  const { owner_address, resource, balance, lock } = contract.value
  if (!context.stakeAddresses.has(owner_address)) return 'the owner is not one of our stakes'
  if (resource !== 'ENERGY') return 'only Energy is delegated'
  if (lock) return 'locked delegations could not be taken back'
  if (context.delegatedThisHour + balance > context.delegatedPerHourMax) {
    return 'the hourly limit of delegated stake is reached'
  }
  return undefined
}

function objectionToReclaim({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'UnDelegateResourceContract') return 'not a reclaim'
  if (!context.stakeAddresses.has(contract.value.owner_address)) {
    return 'the owner is not one of our stakes'
  }
  return contract.value.resource === 'ENERGY' ? undefined : 'only Energy is reclaimed'
}
