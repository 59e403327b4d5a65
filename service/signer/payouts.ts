import { APPROVAL_MS_MAX, approvalText } from '@ergon/contract/approval.ts'
import { toBase58 } from '@ergon/tron'
import {
  type ApprovalRow,
  isSignatureOf,
  ONE_APPROVAL,
  paymentOf,
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
  if (payout === null || attempt === null) return 'a payout names its id and its attempt'
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

/** Two operators, or one and a destination that the signer's machine allows. */
function objectionToApprovals(request: PayoutRequest, ground: PayoutGround): string | undefined {
  const { trust, now } = ground
  const payment = paymentOf(request.raw)
  if (!payment) return 'not a transfer of TRX'
  const to = toBase58(payment.to)
  const operators = operatorsAt(trust, now)
  const approved = new Set<string>()
  const troubles: string[] = []
  for (const approval of ground.approvals) {
    if (approval.payout !== request.payout || approval.attempt !== request.attempt) continue
    const operator = operators.get(approval.key)
    if (!operator) continue
    const trouble = troubleWith(approval, request, { to, amountSun: payment.amount, trust, now })
    if (trouble) troubles.push(`${operator}'s ${trouble}`)
    else approved.add(operator)
  }
  const isAllowed = isAllowedAt(trust, to, now)
  if (approved.size >= 2 || (approved.size === 1 && isAllowed)) return undefined
  const why = troubles.length > 0 ? ` (${troubles.join('; ')})` : ''
  if (approved.size === 1) return `${ONE_APPROVAL}, or an allowed destination${why}`
  const wanted = isAllowed ? 'one approval' : 'two approvals, or one and an allowed destination'
  return `a payout needs ${wanted}; this attempt has none${why}`
}

function troubleWith(
  { key, signature, endsAt }: ApprovalRow,
  { payout, attempt, expiresAt }: PayoutRequest,
  by: { to: string; amountSun: bigint; trust: Trust; now: number },
): string | undefined {
  const { to, amountSun, trust, now } = by
  const { chain, hot } = trust
  const ends = endsAt.getTime()
  if (ends <= now) return 'approval has ended'
  if (ends > now + APPROVAL_MS_MAX) return 'approval ends more than 24 hours ahead'
  if (expiresAt.getTime() > ends) return 'approval ends before the bytes expire'
  const facts = { chain, hot, payout, attempt: Number(attempt), amountSun, to, ends: endsAt }
  return isSignatureOf(approvalText(facts), key, signature)
    ? undefined
    : 'signature is of something else'
}
