import type { ResourceCode } from '@ergon/tron'

/** What a system contract leaves in its receipt. */
export type SystemOutcome = {
  fee: bigint
  /** Rewards of votes. */
  withdraw_amount?: bigint
  withdraw_expire_amount?: bigint
  cancel_unfreezeV2_amount?: Record<ResourceCode, bigint>
}
