import { decodeRaw, type RawTransaction, txId } from '@ergon/tron'
import type { WaitingRow } from './store.ts'

/** A sum that may leave within an hour, in SUN, and what left in the last one. */
export type Limit = { perHourMax: bigint; thisHour: bigint }

/** What the signer holds for itself when it judges a request; nothing of it comes from the request. */
export type PolicyContext = {
  /** Each of our stakes with the permission we sign under; null is its owner's own. */
  stakes: ReadonlyMap<string, number | null>
  hot: string
  /** The deposit address at a position, derived from the key itself. */
  depositAddressAt(position: number): string
  limits: { delegate: Limit; sweep: Limit; payout: Limit }
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
    case 'sweep':
      return objectionToSweep(raw, request.position, context)
    case 'payout':
      return objectionToPayout(raw, context)
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
  if (raw.data !== '') return 'a memo costs a fee and none of ours has one'
  return raw
}

function objectionToDelegate({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'DelegateResourceContract') return 'not a delegation'
  const { owner_address, resource, balance, lock } = contract.value
  const objection = objectionToStake(owner_address, contract.permissionId, context)
  if (objection) return objection
  if (resource !== 'ENERGY') return 'only Energy is delegated'
  if (lock) return 'locked delegations could not be taken back'
  return exceeds(context.limits.delegate, balance)
    ? 'the hourly limit of delegated stake is reached'
    : undefined
}

function objectionToReclaim({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'UnDelegateResourceContract') return 'not a reclaim'
  const { owner_address, resource } = contract.value
  const objection = objectionToStake(owner_address, contract.permissionId, context)
  if (objection) return objection
  return resource === 'ENERGY' ? undefined : 'only Energy is reclaimed'
}

function objectionToStake(owner: string, permission: number | undefined, context: PolicyContext) {
  const wanted = context.stakes.get(owner)
  if (wanted === undefined) return 'the owner is not one of our stakes'
  if ((permission ?? null) !== wanted) return 'the bytes name another permission than ours'
  return undefined
}

/** A deposit key pays into our own hot wallet and nowhere else. */
function objectionToSweep(
  { contract }: RawTransaction,
  position: bigint | null,
  context: PolicyContext,
) {
  if (contract.type !== 'TransferContract') return 'not a transfer of TRX'
  if (contract.permissionId) return 'a sweep is signed by the owner of the address'
  const { owner_address, to_address, amount } = contract.value
  if (to_address !== context.hot) return 'a sweep goes to the hot wallet and nowhere else'
  if (position === null) return 'a sweep names the position of its deposit address'
  if (context.depositAddressAt(Number(position)) !== owner_address) {
    return 'the owner is not the deposit address at that position'
  }
  if (amount <= 0n) return 'nothing is swept'
  return exceeds(context.limits.sweep, amount) ? 'the hourly limit of sweeps is reached' : undefined
}

function objectionToPayout({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'TransferContract') return 'not a transfer of TRX'
  if (contract.permissionId) return 'a payout is signed by the owner of the hot wallet'
  const { owner_address, to_address, amount } = contract.value
  if (owner_address !== context.hot) return 'a payout comes from the hot wallet'
  if (to_address === context.hot || context.stakes.has(to_address)) {
    return 'a payout goes to somebody else'
  }
  if (amount <= 0n) return 'nothing is paid out'
  return exceeds(context.limits.payout, amount)
    ? 'the hourly limit of payouts is reached'
    : undefined
}

function exceeds({ perHourMax, thisHour }: Limit, amount: bigint): boolean {
  return thisHour + amount > perHourMax
}
