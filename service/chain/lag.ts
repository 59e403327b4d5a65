import type { Db } from '../db/index.ts'
import { createLoop, type Log, type Loop, type MovableClock } from '../kernel/index.ts'
import { CHAIN_SEEN } from './due.sql.ts'
import { readSight, type SightRow } from './lag.sql.ts'
import { createSkew, type Skew } from './skew.ts'

/** Why selling has stopped, in a sentence for an operator. */
export type Behind = { reason: 'scanner' | 'skew' | 'recovery'; sentence: string }

/** Lag of the scanner, known in every process. */
export type Lag = {
  /** Undefined while the scanner keeps up. From memory: a purchase costs no query. */
  behind(): Behind | undefined
  /** The same if the newest block read had this time; for use in that block's transaction. */
  behindAt(blockTime: Date): Behind | undefined
  skew: Skew
  /**
   * True once the cursor has been near the node's head since this process started, and not in recovery.
   */
  mayBuild(): boolean
  /** Reads cursor and head now; undefined before the first block. */
  look(): Promise<SightRow | undefined>
  loop: Loop
}

const LOOK_MS = 1_000
/** Between two looks without news: a lag that grows has to be told. */
const QUIET_MS = 5_000
const BEHIND_MS = 20_000
/** Blocks that may be missing in the sandbox. */
const BEHIND_BLOCKS = 5
/** Longest time for the scanner to follow a move of the sandbox's clock. */
const FOLLOW_MS = 20_000
const NOTHING_READ = 'No scanner has read a block yet.'

/** Result of the last query: block times and our times, as of `lookedMs`. */
type Seen = {
  number: number
  cursorMs: number
  /** Undefined before a scanner has seen a head. */
  headMs: number | undefined
  ourMs: number
  lookedMs: number
}

/**
 * Behind means: the newest block read is older than 20 s, by our clock or by the node's head. The head
 * is extrapolated from when a scanner last saw it, so that a dead scanner or node counts as lag.
 * `blockMs` is the sandbox's: 0 for blocks on demand, whose age means nothing.
 */
export function createLag(deps: {
  db: Db
  clock: MovableClock
  log: Log
  blockMs: number | undefined
  /** Why nothing may be signed or sold although all blocks are read; from the room that knows. */
  recovery(): Promise<string | undefined>
}): Lag {
  const { db, clock, log, blockMs } = deps
  const limitMs = Math.max(BEHIND_MS, BEHIND_BLOCKS * (blockMs ?? 0))
  const moves = createMoves(clock)
  const skew = createSkew(log)
  let seen: Seen | undefined
  let hasCaughtUp = false
  // The last head of a restored database is an old one: a scanner has to ask again.
  let firstMark: string | undefined
  let wasBehind = false
  let recovery: string | undefined

  function judge(readMsOf: (seen: Seen) => number): Behind | undefined {
    if (!seen) return { reason: 'scanner', sentence: NOTHING_READ }
    const { number, headMs, ourMs, lookedMs } = seen
    // Add the elapsed time since the query: when queries fail, the lag must grow.
    const sinceMs = clock.elapsedMs() - lookedMs
    const readMs = readMsOf(seen)
    // The scanner of the last release writes no head: then only our clock counts.
    const byHeadMs = headMs === undefined ? 0 : headMs + sinceMs - readMs
    const byClockMs = blockMs === 0 ? 0 : ourMs + sinceMs - readMs
    const lagMs = Math.max(byHeadMs, byClockMs)
    if (lagMs <= limitMs) return recovery ? { reason: 'recovery', sentence: recovery } : undefined
    if (byHeadMs <= limitMs && skew.isLarge()) return { reason: 'skew', sentence: skew.sentence() }
    // Block 0 has no time.
    if (readMs === 0) return { reason: 'scanner', sentence: NOTHING_READ }
    const seconds = Math.round(lagMs / 1_000)
    return { reason: 'scanner', sentence: `The newest block read (${number}) is ${seconds} s old.` }
  }

  const behind = () => judge(({ cursorMs }) => cursorMs)

  async function look(): Promise<SightRow | undefined> {
    const lookedMs = clock.elapsedMs()
    const nowMs = clock.now().getTime()
    moves.note()
    const [row] = await db.query(readSight)
    firstMark ??= row?.headMark ?? ''
    if (!row) return undefined
    // After the cursor: every finding up to it is there by now.
    recovery = await deps.recovery()
    const cursorMs = row.time.getTime()
    const headMs = row.headTime ? row.headTime.getTime() + Number(row.headAgeMs) : undefined
    const ourMs = nowMs - moves.notFollowed(nowMs - cursorMs <= limitMs)
    seen = { number: Number(row.number), cursorMs, headMs, ourMs, lookedMs }
    const isAsked = row.headMark !== null && row.headMark !== firstMark
    hasCaughtUp ||= isAsked && headMs !== undefined && headMs - cursorMs <= limitMs
    if (row.headTime && row.headTime.getTime() > 0 && blockMs !== 0) {
      const blockTimeMs = row.headTime.getTime() + Number(row.headShownMs)
      skew.note(Number(row.headNumber), nowMs - blockTimeMs)
    }
    tell(behind())
    return row
  }

  function tell(now: Behind | undefined) {
    // A chain that has just begun is nothing to warn of.
    const isNews = now && !wasBehind && now.sentence !== NOTHING_READ
    if (isNews) log.warn('selling_stopped', { reason: now.sentence })
    if (!now && wasBehind) log.info('selling_resumed')
    wasBehind = now !== undefined
  }

  return {
    behind,
    behindAt: (blockTime) => judge(() => blockTime.getTime()),
    skew,
    mayBuild: () => hasCaughtUp && recovery === undefined,
    look,
    loop: createLoop({
      name: 'chain.lag',
      everyMs: LOOK_MS,
      follows: CHAIN_SEEN,
      restMs: QUIET_MS,
      log,
      work: () => look().then(() => 0),
    }),
  }
}

/**
 * Moves of business time by the sandbox, which also moves block time. They do not count as lag until the
 * scanner has read the blocks of the new time. Production has none.
 */
function createMoves(clock: MovableClock) {
  let aheadMs = clock.aheadMs()
  let moves: { ms: number; atMs: number }[] = []
  return {
    note() {
      const ms = clock.aheadMs() - aheadMs
      aheadMs += ms
      if (ms > 0) moves.push({ ms, atMs: clock.elapsedMs() })
    },
    notFollowed(hasFollowed: boolean): number {
      const sinceMs = clock.elapsedMs() - FOLLOW_MS
      moves = hasFollowed ? [] : moves.filter(({ atMs }) => atMs >= sinceMs)
      return moves.reduce((sum, move) => sum + move.ms, 0)
    },
  }
}
