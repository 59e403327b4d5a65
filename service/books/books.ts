import type { BooksGroup } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import { type Closed, type Closing, createClosing } from './close.ts'
import { dayAfter, dayOf, type Range } from './days.ts'
import { createReport, type Report } from './report.ts'
import {
  addDays,
  compareDay,
  countDifferent,
  daysToCompare,
  type FigureRow,
  listMonths,
  type MonthRow,
  readEnd,
  readTotals,
  rollForward,
} from './store.ts'

export type Books = {
  /** Profit and loss of some days, by any of the groups. */
  report(range: Range, groups: readonly BooksGroup[]): Promise<Report>
  /** Today by product and provider, from the sums alone: some minutes old. */
  today(): Promise<FigureRow[]>
  /** Newest first. */
  months(): Promise<MonthRow[]>
  close(closing: Closing): Promise<Closed>
  /** Days whose sums are not the ledger's. */
  different(): Promise<bigint>
  loop: Loop
}

const EVERY_MS = 60_000
const SLICE = 10_000
/** After a large import or a long stop there are many slices: others need the database in between. */
const AFTER_WORK_MS = 100
/** Days compared in one round: each takes as long as its movements are many. */
const COMPARED = 10

/** Profit and loss, in sums per day that follow the ledger. */
export function createBooks({ db, runtime, log }: { db: Db; runtime: Runtime; log: Log }): Books {
  const { clock } = runtime
  const different = async () => (await db.query(countDifferent))[0]!.days

  /** Days before this one are compared next: days that fail do not keep the others from their turn. */
  let turn: string | undefined

  async function compareSome(): Promise<number> {
    const today = dayOf(clock.now())
    await db.query(addDays, [today])
    const days = await db.query(daysToCompare, ['-infinity', turn ?? today, COMPARED])
    turn = days.length < COMPARED ? undefined : days.at(-1)!.day
    let done = 0
    for (const { day } of days) {
      try {
        await db.query(compareDay, [day, clock.now()])
        done += 1
      } catch (error) {
        log.error('books_comparison_failed', { name: day, error })
      }
    }
    const count = await different()
    if (days.length > 0 && count > 0n) log.error('books_differ', { count: Number(count) })
    return done
  }

  async function work(): Promise<number> {
    const { movements } = (await db.query(rollForward, [SLICE]))[0]!
    if (movements === BigInt(SLICE)) return SLICE
    return compareSome()
  }

  return {
    report: createReport(db),
    async today() {
      const day = dayOf(clock.now())
      const { upto } = (await db.query(readEnd, [0]))[0]!
      const byProductAndProvider = [false, false, true, false, true]
      return db.query(readTotals, [day, dayAfter(day), ...byProductAndProvider, upto, upto])
    },
    months: () => db.query(listMonths),
    close: createClosing({ db, clock }),
    different,
    loop: createLoop({
      name: 'books.rollForward',
      everyMs: EVERY_MS,
      afterWorkMs: AFTER_WORK_MS,
      log,
      work,
    }),
  }
}
