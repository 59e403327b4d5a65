import { STANDING_ENERGY } from './level.ts'

/** Used Energy as the node showed it, with the last block that we had read and its time. */
export type Use = {
  used: bigint
  at: Date
  block: bigint
  /** The node showed every block that we had read, and no call of the address that we had not. */
  isCurrent: boolean
}

/** What is known of an address's use: the last look that was accounted for, and what came after. */
export type Account = {
  /** Null before the first look. */
  used: bigint | null
  usedAt: Date | null
  /** What calls of the address took since, and what was judged to be others'. */
  explained: bigint
  /** Of that, what its calls pay for: a call costs what one level does, however much it takes. */
  paidFor: bigint
  /** Block time of the last such call. */
  explainedAt: Date | null
  /** The first look that showed more than that. */
  suspectUsed: bigint | null
  suspectAt: Date | null
  suspectBlock: bigint | null
  /** The last block that was read when counting began. */
  beganBlock: bigint | null
  /** What was judged to be others' since then. */
  judged: bigint
  /** Use up to here is judged; a later block may hold use that no look has shown. */
  judgedBlock: bigint | null
  judgedAt: Date | null
}

export type Judgement = {
  /** Some use is not explained, or counting has not begun: nothing is topped up. */
  isOpen: boolean
  /** Energy that others took: it stayed unexplained for as long as a call can be read late. */
  stray: bigint
  next: Account
}

const DAY_MS = 86_400_000n
/** A call makes what is left of older use come back later; over a longer time that could be much. */
const JUDGED_MS = DAY_MS / 2n
/** Rounding of the network's formulas, and the seconds between a block and a look. */
const TOLERANCE = 500n
const TOLERANCE_PART = 500n
/** More than this and the address is not covered any longer. */
export const STRAYED_MAX = STANDING_ENERGY / 10n
/** A node may show a call that we have not read yet, or lag behind us: by ten blocks at most. */
export const SETTLED_MS = 30_000

/** Before the first look. */
export const NEVER_LOOKED: Account = {
  used: null,
  usedAt: null,
  explained: 0n,
  paidFor: 0n,
  explainedAt: null,
  suspectUsed: null,
  suspectAt: null,
  suspectBlock: null,
  beganBlock: null,
  judged: 0n,
  judgedBlock: null,
  judgedAt: null,
}

/**
 * Compares a look with what the address called for. Use that nothing explains is suspected at first,
 * and is others' when the blocks of the next 30 seconds have been read and have not explained it.
 * What was judged counts as explained from then on; what came after it is suspected anew.
 */
export function judgeUse(account: Account, now: Use): Judgement {
  if (account.used === null) {
    // A call that is in this look and is read later would explain use that others are yet to make.
    const next = now.isCurrent ? settled(account, now) : account
    return { isOpen: !now.isCurrent, stray: 0n, next }
  }
  const open = unexplained(account, now)
  if (open <= toleranceOf(account)) {
    if (showsTooLittle(account, now, -open)) return { isOpen: true, stray: 0n, next: account }
    return { isOpen: false, stray: 0n, next: settled(account, now) }
  }
  const { suspectUsed, suspectAt, suspectBlock } = account
  if (suspectUsed === null || !suspectAt || suspectBlock === null) {
    return { isOpen: true, stray: 0n, next: suspected(account, now) }
  }
  if (now.at.getTime() - suspectAt.getTime() < SETTLED_MS) {
    return { isOpen: true, stray: 0n, next: account }
  }
  const suspect = { ...now, used: suspectUsed, at: suspectAt, block: suspectBlock }
  const stray = least(open, unexplained(account, suspect))
  if (stray <= toleranceOf(account)) {
    return { isOpen: true, stray: 0n, next: suspected(account, now) }
  }
  const explained = account.explained + stray
  const explainedNow = { ...account, explained, judged: account.judged + stray }
  if (open - stray <= toleranceOf(account)) {
    return { isOpen: false, stray, next: settled(explainedNow, now) }
  }
  const upTo = { judgedBlock: suspect.block, judgedAt: suspect.at }
  return { isOpen: true, stray, next: { ...suspected(explainedNow, now), ...upTo } }
}

/**
 * Energy that was taken and that nothing explains. Used Energy only grows by use, and comes back within
 * a day, so that what there is now is at most what is left of the old and what is explained.
 */
export function unexplained(account: Account, now: Use): bigint {
  return now.used - leftOf(account, now) - account.explained
}

/**
 * A node that lags behind us does not show a young call yet. Energy that somebody takes back takes use
 * with it as well, and others could use as much unseen: that is waited for, beyond what calls pay for.
 */
function showsTooLittle(account: Account, now: Use, missing: bigint): boolean {
  return isYoung(account, now) && missing > account.paidFor + toleranceOf(account)
}

function isYoung({ explainedAt }: Account, { at }: Use): boolean {
  return explainedAt !== null && at.getTime() - explainedAt.getTime() < SETTLED_MS
}

function toleranceOf({ used }: Account): bigint {
  return TOLERANCE + (used ?? 0n) / TOLERANCE_PART
}

function leftOf({ used, usedAt, explained }: Account, { at }: Use): bigint {
  if (used === null || !usedAt) return 0n
  const passed = BigInt(Math.max(0, at.getTime() - usedAt.getTime()))
  if (explained > 0n && passed > JUDGED_MS) return used
  return passed >= DAY_MS ? 0n : used - (used * passed) / DAY_MS
}

/**
 * Counting goes on from this look. What is within the tolerance is not forgiven: the look counts as
 * what was expected, so that small uses by others add up until they are seen. While a call is young it
 * counts as shown, too: a node that lags behind us does not show it yet, or not any more.
 */
function settled(account: Account, now: Use): Account {
  const { explained, explainedAt } = account
  const expected = leftOf(account, now) + explained
  const known = isYoung(account, now) ? expected : least(now.used, expected)
  return {
    ...NEVER_LOOKED,
    used: account.used === null ? now.used : known,
    usedAt: now.at,
    explainedAt,
    beganBlock: account.beganBlock ?? now.block,
    judged: account.judged,
    judgedBlock: now.block,
    // The node may lag behind us: what it did not show yet is not judged.
    judgedAt: new Date(now.at.getTime() - SETTLED_MS),
  }
}

function suspected(account: Account, { used, at, block }: Use): Account {
  return { ...account, suspectUsed: used, suspectAt: at, suspectBlock: block }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
