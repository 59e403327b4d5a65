import { STANDING_ENERGY } from './level.ts'

/** Used Energy as the node showed it, with the block time of the look. */
export type Use = { used: bigint; at: Date }

/** The last look at which all use was accounted for, and what calls of the address took since. */
type Account = { used: bigint | null; usedAt: Date | null; explained: bigint }

const DAY_MS = 86_400_000n
/** A call makes what is left of older use come back later; over a longer time that could be much. */
const JUDGED_MS = DAY_MS / 2n
/** Rounding of the network's formulas, and the seconds between a block and a look. */
const TOLERANCE = 500n
const TOLERANCE_PART = 500n
/** More than this and the address is not covered any longer. */
export const STRAYED_MAX = STANDING_ENERGY / 10n
/** A node may show a call that we have not read yet. Ten blocks later we have. */
const SETTLED_MS = 30_000

/**
 * Energy that was taken and not by calls of the address. Used Energy only grows by use, and comes back
 * within a day, so that what there is now is at most what is left of the old and what the calls took.
 * After half a day without a look nothing is said, and counting begins anew.
 */
export function strayOf(account: Account, now: Use): bigint {
  const { used, explained } = account
  if (used === null || passedMs(account, now) > JUDGED_MS) return 0n
  const stray = now.used - leftOf(account, now) - explained
  return stray > TOLERANCE + used / TOLERANCE_PART ? stray : 0n
}

function leftOf(account: Account, now: Use): bigint {
  const { used } = account
  if (used === null) return 0n
  const passed = passedMs(account, now)
  return passed >= DAY_MS ? 0n : used - (used * passed) / DAY_MS
}

function passedMs({ usedAt }: Account, { at }: Use): bigint {
  return usedAt ? BigInt(Math.max(0, at.getTime() - usedAt.getTime())) : DAY_MS
}

/** Calls that the look does not show yet: a node that lags behind us shows them in the next one. */
function unseenOf(account: Account, now: Use): bigint {
  const unseen = leftOf(account, now) + account.explained - now.used
  if (unseen <= 0n) return 0n
  return unseen < account.explained ? unseen : account.explained
}

/**
 * Use that nothing explains is only suspected at first, and judged by what it was when the blocks after
 * it have been read. `judged`: everything up to now is accounted for, `stray` of it to others, but for
 * calls that took `unseen`.
 */
export function judgeUse(
  row: Account & { suspectUsed: bigint | null; suspectAt: Date | null },
  now: Use,
): { is: 'judged' | 'suspect' | 'waiting'; stray: bigint; unseen: bigint } {
  const { suspectUsed, suspectAt } = row
  if (suspectUsed !== null && suspectAt) {
    if (now.at.getTime() - suspectAt.getTime() < SETTLED_MS) {
      return { is: 'waiting', stray: 0n, unseen: 0n }
    }
    const stray = strayOf(row, { used: suspectUsed, at: suspectAt })
    if (stray > 0n) return { is: 'judged', stray, unseen: 0n }
  }
  const is = strayOf(row, now) > 0n ? 'suspect' : 'judged'
  return { is, stray: 0n, unseen: unseenOf(row, now) }
}
