import type { Db } from '../../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../../kernel/index.ts'
import {
  deleteHours,
  insertHours,
  lockScorecard,
  readCounted,
  readScores,
  type ScoreRow,
  setCounted,
} from './store.ts'

const HOUR_MS = 3_600_000
const WINDOWS = [
  ['24h', 24 * HOUR_MS],
  ['7d', 7 * 24 * HOUR_MS],
  ['30d', 30 * 24 * HOUR_MS],
] as const
export const WINDOW_NAMES = WINDOWS.map(([name]) => name)
const LONGEST_MS = 30 * 24 * HOUR_MS
/** Attempts of the last two days are counted anew each time: what is unknown is decided within a day. */
const UNSETTLED_MS = 48 * HOUR_MS
/** Counted in one transaction: 30 days at once would take longer than a statement may. */
const SLICE_MS = 24 * HOUR_MS
const EVERY_MS = 300_000
/** How long an answer is kept: it is public, and changes every five minutes. */
const KEPT_MS = 30_000

export type Scores = { countedAt: Date | null; rows: ScoreRow[] }

export type Scorecard = {
  /** How each provider did in each window, from the last count; at most half a minute old. */
  read(): Promise<Scores>
  loop: Loop
}

/** How providers did, from the attempts that we made with them. */
export function createScorecard(deps: { db: Db; runtime: Runtime; log: Log }): Scorecard {
  const { db, runtime, log } = deps
  const { clock } = runtime
  let kept: { atMs: number; scores: Promise<Scores> } | undefined

  /** Counts the attempts of one slice; undefined while another process counts. */
  const countSlice = (from: number, now: number) =>
    db.transaction(async (tx) => {
      const [row] = await tx.query(lockScorecard)
      if (!row) return undefined
      const known = row.countedAt?.getTime() ?? 0
      const since = hourOf(Math.max(from, known - UNSETTLED_MS, now - LONGEST_MS))
      const till = new Date(since.getTime() + SLICE_MS)
      await tx.query(deleteHours, [since, till])
      await tx.query(insertHours, [since, till])
      const isLast = till.getTime() > now
      if (isLast) await tx.query(setCounted, [new Date(now)])
      else if (till.getTime() > known) await tx.query(setCounted, [till])
      return isLast ? undefined : till.getTime()
    })

  async function count(): Promise<number> {
    const now = clock.now().getTime()
    let from: number | undefined = 0
    while (from !== undefined) from = await countSlice(from, now)
    return 0
  }

  async function readNow(): Promise<Scores> {
    const now = clock.now().getTime()
    const begins = WINDOWS.map(([, ms]) => hourOf(now - ms))
    const [[row], rows] = await Promise.all([
      db.query(readCounted),
      db.query(readScores, [WINDOW_NAMES, begins]),
    ])
    return { countedAt: row!.countedAt, rows }
  }

  return {
    read() {
      if (kept && clock.elapsedMs() < kept.atMs + KEPT_MS) return kept.scores
      const scores = readNow()
      kept = { atMs: clock.elapsedMs(), scores }
      scores.catch(() => {
        kept = undefined
      })
      return scores
    },
    loop: createLoop({
      name: 'delivery.score',
      everyMs: EVERY_MS,
      log,
      work: count,
    }),
  }
}

const hourOf = (ms: number) => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS)
