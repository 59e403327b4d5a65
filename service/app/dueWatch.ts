import type { Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { readDueOf } from './dueWatch.sql.ts'

/**
 * Asks the database for the work of all rooms with one statement, and tells each loop. At rest this
 * replaces the polling of twenty loops. What this process makes itself wakes its loop directly; this is
 * for what other processes make and for what becomes due. A new block wakes every loop.
 */
export function createDueWatch(deps: {
  db: Db
  clock: Clock
  log: Log
  everyMs: number
  loops: readonly Loop[]
}): Loop {
  const { db, clock, log, everyMs } = deps
  const loops = deps.loops.filter(({ due }) => due !== undefined)
  const readDue = readDueOf(loops.map(({ due }) => due!))
  let block: string | null = null

  async function work(): Promise<number> {
    const [row] = await db.query(readDue, [clock.now()])
    const isNewBlock = row!.block !== block
    block = row!.block
    for (const [place, loop] of loops.entries()) loop.notice(isNewBlock || row!.due[place]!)
    return 0
  }

  return createLoop({ name: 'app.dueWatch', everyMs, log, work })
}
