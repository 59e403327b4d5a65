import type { Db } from '../db/index.ts'
import type { Clock } from '../kernel/index.ts'
import { daysOf, startOf } from './days.ts'
import {
  compareDay,
  countUncompared,
  daysToCompare,
  holdSums,
  insertClosed,
  isBehind,
  listMonths,
  readCompared,
} from './store.ts'

export type Closing = { month: string; by: string; why: string }
export type Closed = { month: string; margin: bigint } | { refused: string }

/** After the end of a month: movements that began before it have committed by then. */
const GRACE_MS = 600_000

/** Closes a month for good. Corrections come as movements of the open month. */
export function createClosing({ db, clock }: { db: Db; clock: Clock }) {
  return async ({ month, by, why }: Closing): Promise<Closed> => {
    const range = daysOf(month)
    if (!range) return { refused: 'A month is written as 2026-11.' }
    const end = startOf(range.to)
    if (clock.now().getTime() < end.getTime() + GRACE_MS) {
      return { refused: `${month} can be closed ten minutes after its end.` }
    }
    const days = [range.from, range.to]
    for (const { day } of await db.query(daysToCompare, [...days, null])) {
      await db.query(compareDay, [day, clock.now()])
    }
    return db.transaction(async (tx) => {
      const { upto } = (await tx.query(holdSums))[0]!
      const months = await tx.query(listMonths)
      const found = months.find((one) => one.month === month)
      if (!found) return { refused: `There is nothing in ${month}.` }
      if (found.closedAt) return { refused: `${month} is closed already, by ${found.closedBy}.` }
      const earlier = months.findLast((one) => one.closedAt === null && one.month < month)
      if (earlier) return { refused: `Close ${earlier.month} first.` }
      if ((await tx.query(isBehind, [upto, end]))[0]!.behind) {
        return {
          refused: 'Movements of this month are not counted yet; try again in five minutes.',
        }
      }
      const { different } = (await tx.query(readCompared, days))[0]!
      const open = (await tx.query(countUncompared, days))[0]!.days
      if (different.length > 0 || open > 0n) {
        const which = different.length > 0 ? different.join(', ') : `${open} days`
        return { refused: `The sums were not found equal to the ledger on ${which}.` }
      }
      const values = [range.from, range.to, by, why, clock.now()]
      return { month, margin: (await tx.query(insertClosed, values))[0]!.margin }
    })
  }
}
