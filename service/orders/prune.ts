import type { Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { pruneKeys } from './prune.sql.ts'

const BATCH = 1_000
/**
 * A key replays for 24 hours by the clock of the node that reads it. Ten more minutes allow for clock
 * differences: a key must not be deleted by one node while it still counts for another.
 */
const KEPT_MS = 24 * 3_600_000 + 10 * 60_000

/** Deletes idempotency keys that no longer replay. */
export function createPruning({ db, clock, log }: { db: Db; clock: Clock; log: Log }): Loop {
  return createLoop({
    name: 'orders.pruneKeys',
    everyMs: 30_000,
    log,
    async work() {
      const before = new Date(clock.now().getTime() - KEPT_MS)
      const pruned = await db.query(pruneKeys, [before, BATCH])
      return pruned.length === BATCH ? BATCH : 0
    },
  })
}
