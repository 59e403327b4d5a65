import { STANDING_ENERGY } from '../../delivery/index.ts'
import { DAY_MS } from '../subscription.ts'

/** Energy of a covered address that others used, counted at this block time. */
export type Taken = { energy: bigint; at: Date }

/** Duration of a bar. */
export const BARRED_MS = 30 * DAY_MS

/** Most Energy that others may use of all addresses of an account within those days: ten levels. */
const ACCOUNT_MAX = 10n * STANDING_ENERGY

export type Since = {
  now: Date
  /** Time of the account's last activation fee for the address, or of the one being paid. */
  feeAt: Date | null
  /** When an operator last lifted a bar of this account and address. */
  liftedAt: Date | null
}

/**
 * Others' use that still counts against an account and an address: all of the last 30 days, and all
 * since the last activation fee, so that one fee never covers more than two levels.
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
