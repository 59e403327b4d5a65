import { APPROVAL_MS_MAX, approvalText, stakeApprovalText } from '@ergon/contract/approval.ts'
import { decodeRaw, toBase58 } from '@ergon/tron'
import {
  type ApprovalRow,
  isSignatureOf,
  isStakeAction,
  ONE_APPROVAL,
  paymentOf,
  stakeMoveOf,
  type WaitingRow,
} from '../signing/index.ts'
import type { PayoutLog } from './payoutLog.ts'
import { isAllowedAt, operatorsAt, type Trust } from './trust.ts'

const AFTER_EXPIRATION_MS = 3_600_000

/** The data for judging a payout, besides the policy of all transfers. */
export type PayoutGround = {
  trust: Trust
  log: PayoutLog
  approvals: readonly ApprovalRow[]
  now: number
}

/** A sentence when this attempt must not be signed now. */
export function objectionToAttempt(request: WaitingRow, ground: PayoutGround): string | undefined {
  const { payout, attempt } = request
  const isOfStake = isStakeAction(request.purpose)
  if (payout === null || attempt === null) {
    return isOfStake
      ? `a ${request.purpose} names its operation and its attempt`
      : 'a payout names its id and its attempt'
  }
  const { log, now } = ground
  if (request.expiresAt.getTime() <= now) return 'the bytes have expired'
  if (log.cancelled.has(payout)) return 'this payout was cancelled'
  if (log.rebuiltAt !== undefined && now < log.rebuiltAt + APPROVAL_MS_MAX) {
    // A line may be missing in a rebuilt file. By then every approval from before has ended.
    const from = new Date(log.rebuiltAt + APPROVAL_MS_MAX).toISOString()
    return `the signer's file was rebuilt; payouts are signed from ${from} on`
  }
  const last = log.lastOf(payout)
  const next = (last?.attempt ?? 0) + 1
  if (Number(attempt) !== next) {
    const before = last ? `attempt ${last.attempt} was signed as ${last.txid}; ` : ''
    return `${before}the next attempt of this payout is ${next}`
  }
  if (last && now < last.expiration + AFTER_EXPIRATION_MS) {
    const from = new Date(last.expiration + AFTER_EXPIRATION_MS).toISOString()
    return `attempt ${next} is signed an hour after the last one expired, from ${from} on`
  }
  return objectionToApprovals({ ...request, payout, attempt }, ground)
}

type PayoutRequest = WaitingRow & { payout: string; attempt: bigint }

/** Two operators, or for a payout one and a destination that the signer's machine allows. */
function objectionToApprovals(request: PayoutRequest, ground: PayoutGround): string | undefined {
  const { trust, now } = ground
  const textOf = textMaker(request, trust)
  if (!textOf) return 'not a transfer of TRX'
  const operators = operatorsAt(trust, now)
  const approved = new Set<string>()
  const troubles: string[] = []
  for (const approval of ground.approvals) {
    if (approval.payout !== request.payout || approval.attempt !== request.attempt) continue
    const operator = operators.get(approval.key)
    if (!operator) continue
    const trouble = troubleWith(approval, request, { textOf, now })
    if (trouble) troubles.push(`${operator}'s ${trouble}`)
    else approved.add(operator)
  }
  const payment = request.purpose === 'payout' ? paymentOf(request.raw) : undefined
  const isAllowed = payment !== undefined && isAllowedAt(trust, toBase58(payment.to), now)
  if (approved.size >= 2 || (approved.size === 1 && isAllowed)) return undefined
  const why = troubles.length > 0 ? ` (${troubles.join('; ')})` : ''
  if (approved.size === 1 && !payment) return `${ONE_APPROVAL}${why}`
  if (approved.size === 1) return `${ONE_APPROVAL}, or an allowed destination${why}`
  if (!payment) return `a ${request.purpose} needs two approvals; this attempt has none${why}`
  const wanted = isAllowed ? 'one approval' : 'two approvals, or one and an allowed destination'
  return `a payout needs ${wanted}; this attempt has none${why}`
}

/** What operators must have signed, from the bytes themselves. */
function textMaker(
  { purpose, raw, payout, attempt }: PayoutRequest,
  { chain, hot }: Trust,
): ((ends: Date) => string) | undefined {
  const of = { chain, hot, attempt: Number(attempt) }
  if (isStakeAction(purpose)) {
    const { contract } = decodeRaw(raw)
    const stake = toBase58(contract.value.owner_address)
    const move = { stake, operation: payout, action: purpose, ...stakeMoveOf(contract) }
    return (ends) => stakeApprovalText({ ...of, ...move, ends })
  }
  const payment = paymentOf(raw)
  if (!payment) return undefined
  const { to, amount: amountSun } = payment
  return (ends) => approvalText({ ...of, payout, amountSun, to: toBase58(to), ends })
}

function troubleWith(
  { key, signature, endsAt }: ApprovalRow,
  { expiresAt }: PayoutRequest,
  { textOf, now }: { textOf(ends: Date): string; now: number },
): string | undefined {
  const ends = endsAt.getTime()
  if (ends <= now) return 'approval has ended'
  if (ends > now + APPROVAL_MS_MAX) return 'approval ends more than 24 hours ahead'
  if (expiresAt.getTime() > ends) return 'approval ends before the bytes expire'
  return isSignatureOf(textOf(endsAt), key, signature)
    ? undefined
    : 'signature is of something else'
}
