import type { Db } from '../db/index.ts'
import {
  createDeadlines,
  createLoop,
  type Log,
  type Loop,
  type MovableClock,
} from '../kernel/index.ts'
import { readDueOf } from './dueWatch.sql.ts'

export type DueWatch = Loop & {
  /** Something was committed here: looks in a moment, or when a quarter of a second has passed since the last look. */
  soon(): void
}

const GAP_MS = 250
/** Commits that follow each other closely, as those of a block, share one look. */
const GATHER_MS = 20

/**
 * One query asks for all loops: which have work, what has changed of what they follow, and whether business
 * time was moved. A loop for which there is nothing sleeps. Code that makes work wakes its loop directly; the
 * query finds the work of other processes, what becomes due, and what the code of this process forgot.
 */
export function createDueWatch(deps: {
  db: Db
  clock: MovableClock
  log: Log
  everyMs: number
  loops: readonly Loop[]
}): DueWatch {
  const { db, clock, log, everyMs } = deps
  const loops = deps.loops.filter(({ due, follows }) => due !== undefined || follows !== undefined)
  const conditions = [...new Set(loops.flatMap(({ due }) => due ?? []))]
  const expressions = [...new Set(loops.flatMap(({ follows }) => follows ?? []))]
  const readDue = readDueOf(conditions, expressions)
  let known: (string | null)[] = []
  let lookedMs = Number.NEGATIVE_INFINITY
  let commits = 0
  /** Commits that the last look has seen. */
  let seen = 0

  async function look() {
    seen = commits
    try {
      const [row] = await db.query(readDue, [clock.now()])
      return row!
    } catch (error) {
      // Nobody looks for the loops: they do it themselves until somebody does again.
      known = []
      for (const loop of loops) loop.notice(true)
      throw error
    } finally {
      lookedMs = clock.elapsedMs()
    }
  }

  async function work(): Promise<number> {
    const { due, values, aheadMs } = await look()
    const isDue = new Set(conditions.filter((_, place) => due[place]))
    const isNew = new Set(expressions.filter((_, place) => values[place] !== known[place]))
    known = values
    for (const loop of loops) {
      loop.notice(isDue.has(loop.due ?? ''))
      if (isNew.has(loop.follows ?? '')) loop.wake()
    }
    const before = clock.aheadMs()
    clock.setAheadMs(Number(aheadMs))
    // After a move of the clock ask again: the conditions were asked at the old time.
    return clock.aheadMs() > before ? 1 : 0
  }

  const loop = createLoop({ name: 'app.dueWatch', everyMs, log, work })
  let isWaiting = false
  function lookNow() {
    isWaiting = false
    // A look for another reason, as that of a block, has begun after the last commit.
    if (seen < commits) loop.wake()
  }
  const [gather, gap] = [createDeadlines(GATHER_MS, lookNow), createDeadlines(GAP_MS, lookNow)]
  return {
    ...loop,
    soon() {
      commits += 1
      if (isWaiting) return
      isWaiting = true
      const isRested = clock.elapsedMs() - lookedMs > GAP_MS
      const wait = isRested ? gather : gap
      wait.begin('look')
    },
  }
}
