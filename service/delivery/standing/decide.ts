import { type Measured, topUp, trim } from './level.ts'
import { type Account, judgeUse, NEVER_LOOKED, STRAYED_MAX } from './stray.ts'

/** What a look at the node found, before anything was locked. */
export type Look = {
  wanted: bigint
  /** Undefined when the account is not on the chain. */
  measured: Measured | undefined
  totals: { energyLimit: bigint; energyWeight: bigint } | undefined
  /** The last block that we had read, and its time. */
  at: Date
  block: bigint
  /** The node showed what we had read, and no later call of the address; asked at first looks. */
  isCurrent: boolean
}

/** What is known of an address: its use, what others took of it, and our stake that is there. */
type Known = Account & { strayed: bigint; stake: bigint }

export type Decision = {
  /** Energy that others took, judged by this look. */
  stray: bigint
  /** What is known of the use from now on. */
  use: Account
  move:
    | { kind: 'none' }
    | { kind: 'delegate'; energy: bigint }
    | { kind: 'trim'; energy: bigint }
    | { kind: 'reclaim' }
  available: bigint | null
  /** Looked at again after a pause, even if nothing happens to it. */
  again: boolean
}

const SUN_PER_TRX = 1_000_000n
const PERCENT = 100n

/**
 * What one look at an address leads to. While some use is not explained nothing is delegated: what
 * others take is never filled up.
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
    // What is not explained yet is judged by the receipts, when the Energy is back.
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

/** What was used before any Energy of ours was there is nobody's business: counting begins anew. */
function judge(known: Known, { used }: Measured, { wanted, at, block, isCurrent }: Look) {
  const judged = judgeUse(known, { used, at, block, isCurrent })
  const isBare = wanted > 0n && known.stake === 0n
  return isBare && judged.isOpen ? { isOpen: true, stray: 0n, next: NEVER_LOOKED } : judged
}

/** A node that lags behind us does not show our stake yet: what it says is missing is on the way. */
function isOld({ stake }: Known, { totals }: Look, { limit }: Measured): boolean {
  if (!totals || totals.energyWeight === 0n) return false
  const worth = (stake * totals.energyLimit) / (totals.energyWeight * SUN_PER_TRX)
  return limit < worth - worth / PERCENT - 1n
}
