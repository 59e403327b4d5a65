import { approvalText } from '@ergon/contract/approval.ts'
import { SANDBOX_OPERATORS } from '../../service/app/sandboxOperators.ts'
import { factsOf, type Payouts } from '../../service/deposits/index.ts'
import { type Approval, signText } from '../../service/signing/index.ts'

type Signatory = { key: string; privateKey: string }
export const [FIRST, SECOND] = SANDBOX_OPERATORS

/** The signature of a sandbox operator under the payout as it is now. */
export async function approvalBy(
  payouts: Payouts,
  id: string,
  { key, privateKey }: Signatory,
): Promise<Approval> {
  const payout = await payouts.find(id)
  if (!payout) throw new Error(`no payout ${id}`)
  const ground = await payouts.ground()
  if (!ground) throw new Error('no signer has published its hot wallet')
  const text = approvalText({ ...factsOf(payout), ...ground })
  return { key, ends: ground.ends, signature: signText(text, privateKey) }
}

/** The same as the request body of the console. */
export async function approvalBody(payouts: Payouts, id: string, by: Signatory) {
  const { key, ends, signature } = await approvalBy(payouts, id, by)
  return { key, ends_at: ends.toISOString(), signature }
}

/** Approvals of both sandbox operators, under the names of the requester and the approver. */
export async function approveBoth(payouts: Payouts, id: string, [asked, other]: [string, string]) {
  const first = await payouts.approve(id, asked, await approvalBy(payouts, id, FIRST))
  if ('refused' in first) return first
  return payouts.approve(id, other, await approvalBy(payouts, id, SECOND))
}
