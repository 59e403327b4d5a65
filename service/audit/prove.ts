import { type Horizon, NEW_MS, type Queryable } from '../db/index.ts'
import type { Clock } from '../kernel/index.ts'
import { writePass, writeProven } from './audit.sql.ts'
import { type Check, firstKey, keyAt, newestOf, SLICE } from './prove.sql.ts'

/** Without a checkpoint a run begins a day ago, and the full pass looks at the rest: no start takes hours. */
const FIRST_RUN_MS = 86_400_000

type Deps = {
  /** Reads the books, with limits of its own. */
  books: Queryable
  /** Writes how far we are. */
  db: Queryable
  horizon: Horizon
  clock: Clock
}

/** Looks at all rows of a check, slice by slice; returns the first broken ones. */
export async function proveAll(
  books: Queryable,
  { table, slice }: Check,
  onRows: (rows: number) => void = () => {},
): Promise<unknown[]> {
  const first = firstKey(table)
  for (let at = first; ; ) {
    const one = (await books.query(slice, [at, first]))[0]!
    onRows(Number(one.rows))
    if (one.broken) return JSON.parse(one.broken)
    if (one.rows < SLICE) return []
    at = one.last!
  }
}

/**
 * Checks the rows after the checkpoint `proven`. The checkpoint moves past the rows that are final and older than
 * NEW_MS. Rows that may still change are looked at again by the next run.
 */
export async function proveNew(
  { books, db, horizon, clock }: Deps,
  { name, table, slice }: Check,
  { proven, isRecorded }: { proven: string | undefined; isRecorded: boolean },
): Promise<unknown[]> {
  const dayAgo = new Date(clock.now().getTime() - FIRST_RUN_MS)
  let at: string = proven ?? keyAt(table, dayAgo)
  if (!proven && isRecorded) await db.query(writeProven, [name, at])
  horizon.note(table, (await books.query(newestOf(table)))[0]?.newest ?? null)
  const upto = horizon.before(table, NEW_MS) ?? firstKey(table)
  for (let isSettled = true; ; ) {
    const one = (await books.query(slice, [at, upto]))[0]!
    if (one.broken) return JSON.parse(one.broken)
    if (isRecorded && isSettled && one.settled) await db.query(writeProven, [name, one.settled])
    if (one.rows < SLICE) return []
    isSettled &&= one.settled === one.last
    at = one.last!
  }
}

/** The next slice of the full pass over all history, from `passAt`: its broken rows, and whether more rows follow. */
export async function passOn(
  { books, db }: Deps,
  { name, table, slice }: Check,
  passAt: string | undefined,
): Promise<{ broken: unknown[]; isFull: boolean }> {
  const first = firstKey(table)
  const one = (await books.query(slice, [passAt ?? first, first]))[0]!
  const isFull = one.rows >= SLICE
  await db.query(writePass, [name, isFull ? one.last : null, one.rows])
  return { broken: one.broken ? JSON.parse(one.broken) : [], isFull }
}
