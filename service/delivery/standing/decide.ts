import { type Measured, topUp, trim } from './level.ts'
import { type Account, judgeUse, NEVER_LOOKED, STRAYED_MAX } from './stray.ts'

/** A reading from the node, taken before any lock. */
export type Look = {
  wanted: bigint
  /** Undefined when the account is not on the chain. */
  measured: Measured | undefined
  totals: { energyLimit: bigint; energyWeight: bigint } | undefined
  /** The last block that we had read, and its time. */
  at: Date
  block: bigint
  /** The node had our blocks and no later call of the address; checked at first readings. */
  isCurrent: boolean
}

/** State of an address: its use, others' use, and our stake delegated to it. */
type Known = Account & { strayed: bigint; stake: bigint }

export type Decision = {
  /** Energy that others used, according to this reading. */
  stray: bigint
  /** The state of use after this reading. */
  use: Account
  move:
    | { kind: 'none' }
    | { kind: 'delegate'; energy: bigint }
    | { kind: 'trim'; energy: bigint }
    | { kind: 'reclaim' }
  available: bigint | null
  /** Read again after a pause even without an event. */
  again: boolean
}

const SUN_PER_TRX = 1_000_000n
const PERCENT = 100n

/**
 * Decides the next move of an address from one reading. While some use is unexplained nothing is
 * delegated, because others' use is never filled up.
 */
export function decideMove(known: Known, look: Look): Decision {
  const { wanted, measured } = look
  const nothing = { stray: 0n, use: known, move: { kind: 'none' }, again: true } as const
  if (!measured) {
    return wanted > 0n
      ? { ...nothing, available: 0n }
      : { ...nothing, move: { kind: 'reclaim' }, available: null, again: false }
  }
  if (wanted > 0n && isOld(known, look, measured)) return { ...nothing, available: null }
  const { isOpen, stray, next } = judge(known, measured, look)
  const isAstray = known.strayed + stray > STRAYED_MAX
  if (wanted === 0n) {
    // Unexplained use is decided by the receipts after the reclaim.
    return { stray, use: next, move: { kind: 'reclaim' }, available: null, again: false }
  }
  const available = measured.limit - measured.used
  const missing = topUp(wanted, measured)
  const again = missing > 0n || isOpen
  const decided = { stray, use: next, available, again }
  if (isOpen || isAstray) return { ...decided, move: { kind: 'none' } }
  if (missing > 0n) return { ...decided, move: { kind: 'delegate', energy: missing } }
  const most = trim(wanted, measured)
  return { ...decided, move: most > 0n ? { kind: 'trim', energy: most } : { kind: 'none' } }
}

/** Use before our first delegation does not count: counting starts again. */
function judge(known: Known, { used }: Measured, { wanted, at, block, isCurrent }: Look) {
  const judged = judgeUse(known, { used, at, block, isCurrent })
  const isBare = wanted > 0n && known.stake === 0n
  return isBare && judged.isOpen ? { isOpen: true, stray: 0n, next: NEVER_LOOKED } : judged
}

/** Whether the node lags: it does not show stake that we have delegated. */
function isOld({ stake }: Known, { totals }: Look, { limit }: Measured): boolean {
  if (!totals || totals.energyWeight === 0n) return false
  const worth = (stake * totals.energyLimit) / (totals.energyWeight * SUN_PER_TRX)
  return limit < worth - worth / PERCENT - 1n
}
