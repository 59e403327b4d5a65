import { decodeRaw, encodeRaw, type RawTransaction, txId } from '@ergon/tron'
import { isOfStake, isTimed, objectionToMove, stakeMoveOf } from './stakePolicy.ts'
import type { WaitingRow } from './store.ts'

/** Most SUN to sign within a period, and the sum signed in the current one. */
type Limit = { max: bigint; signed: bigint }
export type Limits = { hour: Limit; day: Limit }

/**
 * The least amount of each purpose, in SUN, as in java-tron: it refuses a delegation below 1 TRX, and a
 * reclaim or a transfer of zero. A negative amount would lower the sums that the limits are compared
 * with.
 */
const LEAST = {
  delegation: 1_000_000n,
  reclaim: 1n,
  sweep: 1n,
  payout: 1n,
  'treasury transfer': 1n,
  freeze: 1_000_000n,
  unfreeze: 1n,
}

/** The signer's own data for judging a request; none of it comes from the request. */
export type PolicyContext = {
  /** Our stakes with the permission id that we sign under; null: the owner's key. */
  stakes: ReadonlyMap<string, number | null>
  hot: string
  /** The deposit address at a position, derived from the key itself. */
  depositAddressAt(position: number): string
  limits: { delegate: Limits; sweep: Limits; payout: Limits; freeze: Limits; unfreeze: Limits }
  /** Destinations of the treasury in the signer's file, each with its own limits. */
  treasury: ReadonlyMap<string, Limits>
  /** Witnesses in the signer's file: votes go to no other. */
  witnesses: ReadonlySet<string>
  /** How often was voted and claimed for a stake. */
  times(purpose: 'vote' | 'claim', stake: string): Limits
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
    case 'treasury':
      return objectionToTreasury(raw, context)
    default:
      if (isOfStake(request.purpose)) return objectionToStakeMove(request.purpose, raw, context)
      return `purpose ${request.purpose} is not one the signer knows`
  }
}

function decodeOwn(request: WaitingRow): RawTransaction | string {
  if (txId(request.raw) !== request.txid) return 'the txid is not the hash of the bytes'
  const raw = decodeRaw(request.raw)
  // Our decoder ignores repeated, unknown and overlong fields, which a node may interpret.
  if (!request.raw.equals(encodeRaw(raw))) return 'the bytes are not what their content encodes to'
  const { owner_address } = raw.contract.value
  if (owner_address !== request.owner) return 'the bytes name another owner than the request'
  if (raw.expiration !== request.expiresAt.getTime()) return 'the bytes expire at another time'
  if (raw.data !== '') return 'a memo costs a fee and none of ours has one'
  return raw
}

function objectionToDelegate({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'DelegateResourceContract') return 'not a delegation'
  const { owner_address, resource, balance, lock, lock_period } = contract.value
  const objection = objectionToStake(owner_address, contract.permissionId, context)
  if (objection) return objection
  if (resource !== 'ENERGY') return 'only Energy is delegated'
  if (lock || lock_period) return 'locked delegations could not be taken back'
  return (
    tooLittle('delegation', balance) ?? beyond(context.limits.delegate, balance, 'delegated stake')
  )
}

function objectionToReclaim({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'UnDelegateResourceContract') return 'not a reclaim'
  const { owner_address, resource, balance } = contract.value
  const objection = objectionToStake(owner_address, contract.permissionId, context)
  if (objection) return objection
  if (resource !== 'ENERGY') return 'only Energy is reclaimed'
  return tooLittle('reclaim', balance)
}

function objectionToStake(owner: string, permission: number | undefined, context: PolicyContext) {
  const wanted = context.stakes.get(owner)
  if (wanted === undefined) return 'the owner is not one of our stakes'
  if ((permission ?? null) !== wanted) return 'the bytes name another permission than ours'
  return undefined
}

/** Freezes and unfreezes within limits, votes for known witnesses, and takes what the chain owes the stake. */
function objectionToStakeMove(
  purpose: Parameters<typeof objectionToMove>[0],
  raw: RawTransaction,
  context: PolicyContext,
) {
  const { contract } = raw
  const { owner_address } = contract.value
  const objection =
    objectionToMove(purpose, raw, context.witnesses) ??
    objectionToStake(owner_address, contract.permissionId, context)
  if (objection) return objection
  if (isTimed(purpose)) return beyond(context.times(purpose, owner_address), 1n, `${purpose}s`)
  if (purpose !== 'freeze' && purpose !== 'unfreeze') return undefined
  const amount = stakeMoveOf(contract).amountSun!
  const what = purpose === 'freeze' ? 'frozen stake' : 'unfrozen stake'
  return tooLittle(purpose, amount) ?? beyond(context.limits[purpose], amount, what)
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
  return tooLittle('sweep', amount) ?? beyond(context.limits.sweep, amount, 'sweeps')
}

function objectionToPayout({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'TransferContract') return 'not a transfer of TRX'
  if (contract.permissionId) return 'a payout is signed by the owner of the hot wallet'
  const { owner_address, to_address, amount } = contract.value
  if (owner_address !== context.hot) return 'a payout comes from the hot wallet'
  if (to_address === context.hot || context.stakes.has(to_address)) {
    return 'a payout goes to somebody else'
  }
  return tooLittle('payout', amount) ?? beyond(context.limits.payout, amount, 'payouts')
}

/** No approval needed, but only to destinations in the signer's file and within their limits. */
function objectionToTreasury({ contract }: RawTransaction, context: PolicyContext) {
  if (contract.type !== 'TransferContract') return 'not a transfer of TRX'
  if (contract.permissionId) return 'a treasury transfer is signed by the owner of the hot wallet'
  const { owner_address, to_address, amount } = contract.value
  if (owner_address !== context.hot) return 'a treasury transfer comes from the hot wallet'
  const limits = context.treasury.get(to_address)
  if (!limits) return "the treasury pays only to destinations in the signer's file"
  return (
    tooLittle('treasury transfer', amount) ??
    beyond(limits, amount, 'treasury transfers to this destination')
  )
}

function tooLittle(what: keyof typeof LEAST, amount: bigint): string | undefined {
  return amount < LEAST[what] ? `a ${what} of less than ${LEAST[what]} SUN` : undefined
}

function beyond({ hour, day }: Limits, amount: bigint, what: string): string | undefined {
  if (hour.signed + amount > hour.max) return `the hourly limit of ${what} is reached`
  if (day.signed + amount > day.max) return `the daily limit of ${what} is reached`
  return undefined
}

/** The amount that counts towards the limits: delegated, frozen or unfrozen stake, or transferred TRX. */
export function amountOf(rawBytes: Uint8Array): bigint {
  const { contract } = decodeRaw(rawBytes)
  if (contract.type === 'DelegateResourceContract') return contract.value.balance
  const staked = stakeMoveOf(contract).amountSun
  if (staked !== undefined) return staked
  return contract.type === 'TransferContract' ? contract.value.amount : 0n
}

/** Receiver and amount of a transfer. */
export function paymentOf(rawBytes: Uint8Array): { to: string; amount: bigint } | undefined {
  const { contract } = decodeRaw(rawBytes)
  if (contract.type !== 'TransferContract') return undefined
  return { to: contract.value.to_address, amount: contract.value.amount }
}
