import type { Horizon, Queryable } from '../db/index.ts'
import { findSeal, insertSeal, readProgress, sumMovements, writePass } from './audit.sql.ts'
import { firstKey, SLICE } from './prove.sql.ts'

/** Movements are sealed when nobody can still commit one between them, not even a process that was suspended. */
export const SEAL_MS = 3_600_000
const SEALS = 'seals'

type Step = { broken: unknown[]; rows: number; next: string | null }

/**
 * Compares the slice after a key with its seal, or seals it. A change of an old movement that fits all
 * invariants, because all later rows were changed with it, is found by its hash.
 */
async function stepFrom(
  books: Queryable,
  after: string,
  seal?: { db: Queryable; horizon: Horizon },
): Promise<Step> {
  const [sealed] = await books.query(findSeal, [after])
  const upto = sealed?.upto ?? seal?.horizon.before('movement', SEAL_MS)
  if (!upto) return { broken: [], rows: 0, next: null }
  // One more than was sealed shows a row that was added between them.
  const most = sealed ? SLICE + 1 : SLICE
  const found = (await books.query(sumMovements, [after, upto, most]))[0]!
  const rows = Number(found.movements)
  if (sealed) {
    const isSame = found.movements === sealed.movements && found.hash === sealed.hash
    return {
      broken: isSame ? [] : [{ after, upto, sealed: sealed.hash, found: found.hash }],
      rows,
      next: sealed.upto,
    }
  }
  if (rows < SLICE || !seal) return { broken: [], rows: 0, next: null }
  const { movements, amount, hash } = found
  await seal.db.query(insertSeal, [after, found.upto, movements, amount, hash])
  return { broken: [], rows, next: found.upto }
}

/** The next slice of the full pass. */
export async function passSeals(deps: {
  books: Queryable
  db: Queryable
  horizon: Horizon
}): Promise<unknown[]> {
  const { books, db } = deps
  const progress = (await books.query(readProgress)).find(({ name }) => name === SEALS)
  const step = await stepFrom(books, progress?.passAt ?? firstKey('movement'), deps)
  await db.query(writePass, [SEALS, step.next, step.rows])
  return step.broken
}

/** Compares every seal; returns the first that differs. */
export async function checkSeals(books: Queryable): Promise<unknown[]> {
  for (let at: string | null = firstKey('movement'); at !== null; ) {
    const step: Step = await stepFrom(books, at)
    if (step.broken.length > 0) return step.broken
    at = step.next
  }
  return []
}
