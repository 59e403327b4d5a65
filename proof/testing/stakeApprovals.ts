import { signText } from '../../service/signing/index.ts'
import { type Staking, type StakingResponse, textToApprove } from '../../service/staking/index.ts'
import { FIRST, SECOND } from './approvals.ts'

type Signatory = { key: string; privateKey: string }

/** The signature of a sandbox operator under the operation as it is now. */
export async function stakeApprovalBy(staking: Staking, id: string, by: Signatory) {
  const [row, ground] = [await staking.find(id), await staking.ground()]
  if (!row || !ground) throw new Error(`nothing to approve: ${id}`)
  const signature = signText(textToApprove(row, ground), by.privateKey)
  return { key: by.key, ends: ground.ends, signature }
}

/** Approvals of both sandbox operators. */
export async function approveStake(staking: Staking, id: string): Promise<StakingResponse> {
  const first = await staking.approve(id, 'ann', await stakeApprovalBy(staking, id, FIRST))
  if ('refused' in first) return first
  return staking.approve(id, 'bob', await stakeApprovalBy(staking, id, SECOND))
}
