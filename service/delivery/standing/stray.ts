import { STANDING_ENERGY } from './level.ts'

/** Used Energy by the node, with the last block that we had read and its time. */
export type Use = {
  used: bigint
  at: Date
  block: bigint
  /** The node showed every block that we had read, and no call of the address that we had not. */
  isCurrent: boolean
}

/** State of an address's use: the last settled reading, and what came after it. */
export type Account = {
  /** Null before the first reading. */
  used: bigint | null
  usedAt: Date | null
  /** Use since then that is explained: by calls of the address, or counted as others' use. */
  explained: bigint
  /** The part of it that calls pay for: at most one level per call. */
  paidFor: bigint
  /** Block time of the last such call. */
  explainedAt: Date | null
  /** Used Energy of the first reading that showed more than that. */
  suspectUsed: bigint | null
  suspectAt: Date | null
  suspectBlock: bigint | null
  /** Last block read when counting began. */
  beganBlock: bigint | null
  /** Others' use counted since then. */
  judged: bigint
  /** Use up to this block is counted; later blocks may hold use that no reading has shown. */
  judgedBlock: bigint | null
  judgedAt: Date | null
}

export type Judgement = {
  /** Some use is unexplained, or counting has not begun: no top-up. */
  isOpen: boolean
  /** Others' use: it stayed unexplained for the longest time that a call can be read late. */
  stray: bigint
  next: Account
}

const DAY_MS = 86_400_000n
/** After a longer time, calls make the remainder of older use too uncertain: a call delays its recovery. */
const JUDGED_MS = DAY_MS / 2n
/** For rounding in the network's formulas, and for the seconds between a block and a reading. */
const TOLERANCE = 500n
const TOLERANCE_PART = 500n
/** Others' use above which the address is no longer covered. */
export const STRAYED_MAX = STANDING_ENERGY / 10n
/** A node may be ten blocks ahead of us or behind us. */
export const SETTLED_MS = 30_000

/** Before the first reading. */
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
 * Compares a reading with the calls of the address. Unexplained use is suspected first; it counts as
 * others' use when the blocks of the next 30 seconds are read and do not explain it. Counted use is
 * explained from then on; later use is suspected again.
 */
export function judgeUse(account: Account, now: Use): Judgement {
  if (account.used === null) {
    // If this reading includes a call that we read later, that call would explain later use by others.
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
 * Energy use without an explanation. Used Energy recovers within a day, so without others it is at most
 * the remainder of the old use plus the explained use.
 */
export function unexplained(account: Account, now: Use): bigint {
  return now.used - leftOf(account, now) - account.explained
}

/**
 * Whether the node shows less use than expected. It may lag behind us and miss a recent call. A foreign
 * reclaim also removes use, which could hide use by others; so we wait, beyond what calls pay for.
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
 * Continues counting from this reading. It stores the expected value, so that small uses by others
 * within the tolerance add up until they are noticed. A recent call counts as shown, because a lagging
 * node may not show it.
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
    // The node may lag behind us: use that it does not show yet is not counted.
    judgedAt: new Date(now.at.getTime() - SETTLED_MS),
  }
}

function suspected(account: Account, { used, at, block }: Use): Account {
  return { ...account, suspectUsed: used, suspectAt: at, suspectBlock: block }
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
