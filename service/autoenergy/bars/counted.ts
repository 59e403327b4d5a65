import { STANDING_ENERGY } from '../../delivery/index.ts'
import { DAY_MS } from '../subscription.ts'

/** Energy that others took from a covered address, judged at this block time. */
export type Taken = { energy: bigint; at: Date }

/** So long an address whose Energy others used is not covered again. */
export const BARRED_MS = 30 * DAY_MS

/** What others may take from all addresses of an account within those days: ten levels. */
const ACCOUNT_MAX = 10n * STANDING_ENERGY

export type Since = {
  now: Date
  /** When the account last paid an activation fee for the address, or pays it. */
  feeAt: Date | null
  /** When an operator last lifted a bar of this account and address. */
  liftedAt: Date | null
}

/**
 * What others took and what still counts against an account and an address: everything of 30 days,
 * and everything since the last activation fee, so that a fee never buys more than it is to.
 */
export function countedStray(taken: readonly Taken[], { now, feeAt, liftedAt }: Since): bigint {
  const monthAgo = now.getTime() - BARRED_MS
  const from = feeAt ? Math.min(monthAgo, feeAt.getTime()) : monthAgo
  return taken
    .filter(({ at }) => at.getTime() >= from && !(liftedAt && at <= liftedAt))
    .reduce((sum, { energy }) => sum + energy, 0n)
}

export function isAccountAtMost(energy: bigint): boolean {
  return energy >= ACCOUNT_MAX
}
