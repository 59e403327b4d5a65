import type { Refusal } from '@ergon/contract'
import type { Db, Tx } from './pool.ts'

/** Takes back the transaction in which it is thrown, and carries the refusal out of it. */
export class Undo extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super('a refusal takes the transaction back')
    this.refusal = refusal
  }
}

/** Runs work in a transaction. The answer is its result, or the refusal of an `Undo` that took it back. */
export async function undoable<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T | Refusal> {
  try {
    return await db.transaction(work)
  } catch (error) {
    if (error instanceof Undo) return error.refusal
    throw error
  }
}
