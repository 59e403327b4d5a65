import type { MovableClock } from '../kernel/index.ts'
import type { Db, Queryable } from './pool.ts'
import { moveAhead, readAhead } from './store.ts'

/** Sets this process's business clock by the row in the database. */
export async function readBusinessTime(db: Queryable, clock: MovableClock): Promise<void> {
  const [row] = await db.query(readAhead)
  clock.setAheadMs(Number(row!.aheadMs))
}

export async function advanceBusinessTime(db: Db, clock: MovableClock, ms: number): Promise<void> {
  const [row] = await db.query(moveAhead, [ms])
  clock.setAheadMs(Number(row!.aheadMs))
}
