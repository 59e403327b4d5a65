import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { createApart } from './apart.ts'
import type { Db } from './pool.ts'
import type { Statement } from './statement.ts'

/**
 * How long rows of a table are kept. The comment of the table says the same and why, and a test compares
 * them: `proof/retention.test.ts`.
 */
export type Retention = {
  table: string
  keptMs: number
  /** The clock by which its rows have their times; absent: business time. */
  clock?: 'wall'
  prune: Prune
}

type Prune =
  /** $1: rows from before this time go; $2: at most so many. Returns how many were deleted. */
  | { byAge: Statement<{ rows: bigint }> }
  /**
   * For a table without an order of age: $3 is the key after which the slice begins, and `next` the key at
   * its end; null: it was the last slice.
   */
  | { inTurn: Statement<{ rows: bigint; next: string | null }>; first: string }

const EVERY_MS = 60_000
const SLICE = 1_000

/**
 * Deletes what is older than its table keeps, a slice of each table in a round. A table that fails is put
 * aside and stops no other.
 */
export function createHousekeeping(
  deps: { db: Db; clock: Clock; log: Log },
  tables: readonly Retention[],
): Loop {
  const { db, clock, log } = deps
  const apart = createApart(deps, { loop: 'db.housekeeping', kind: 'table' })
  /** Where the next slice of a table begins. */
  const places = new Map<string, string>()

  async function deleteSlice({ table, keptMs, clock: by, prune }: Retention): Promise<number> {
    const nowMs = by === 'wall' ? clock.wallMs() : clock.now().getTime()
    const values = [new Date(nowMs - keptMs), SLICE]
    if ('byAge' in prune) return Number((await db.query(prune.byAge, values))[0]!.rows)
    const after = places.get(table) ?? prune.first
    const { rows, next } = (await db.query(prune.inTurn, [...values, after]))[0]!
    // A full slice may have left some of its rows.
    if (rows < SLICE) places.set(table, next ?? prune.first)
    return Number(rows)
  }

  return createLoop({
    name: 'db.housekeeping',
    everyMs: EVERY_MS,
    log,
    async work() {
      const deleted = await apart.each(tables, ({ table }) => table, deleteSlice)
      return deleted.filter((rows) => rows >= SLICE).length
    },
  })
}
