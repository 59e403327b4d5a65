import type { Queryable } from '../db/index.ts'
import { countMovements, readSums } from './audit.sql.ts'
import { firstKey } from './prove.sql.ts'

/** Movements that one statement counts: some 20 ms of work. */
const SLICE = 20_000

type Count = { upto: string; movements: bigint; after: string; counted: bigint }

export type SumCheck = {
  /** Counts the next slice; returns the checkpoint of the ledger's sums if it has another number of movements. */
  step(): Promise<{ broken: unknown[]; isDone: boolean }>
}

/**
 * Counts the movements up to the checkpoint of `ledger.sums`, after those that are sealed. A movement that was
 * committed below the checkpoint is in no sum: we would owe too little, and reconciliation would not see it.
 */
export function createSumCheck(books: Queryable): SumCheck {
  let count: Count | undefined

  async function begin(): Promise<Count> {
    const { upto, movements, sealed, counted } = (await books.query(readSums))[0]!
    return { upto, movements, after: sealed ?? firstKey('movement'), counted }
  }

  return {
    async step() {
      const { upto, movements, after, counted } = count ?? (await begin())
      const slice = (await books.query(countMovements, [after, upto, SLICE]))[0]!
      const found = counted + slice.movements
      const isDone = slice.movements < SLICE
      count = isDone ? undefined : { upto, movements, after: slice.last!, counted: found }
      const isBroken = isDone && found !== movements
      return {
        broken: isBroken ? [{ upto, movements: `${movements}`, found: `${found}` }] : [],
        isDone,
      }
    },
  }
}

/** Counts all of them at once. */
export async function checkSums(books: Queryable): Promise<unknown[]> {
  const check = createSumCheck(books)
  for (;;) {
    const { broken, isDone } = await check.step()
    if (isDone) return broken
  }
}
