import type { Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { readDueOf } from './dueWatch.sql.ts'

/**
 * One query asks which loops have work. A loop without any then polls only every five seconds. Work that
 * this process makes wakes its loop directly; the query finds the work of other processes and what
 * becomes due. A new or newly final block wakes every resting loop that has a condition.
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
