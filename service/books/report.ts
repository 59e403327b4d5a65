import { BOOKS_GROUPS, type BooksGroup } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import { stakeDays } from '../providers/index.ts'
import type { Range } from './days.ts'
import { type AfterStake, withStakeCost } from './stakeCost.ts'
import {
  daysToCompare,
  type FigureRow,
  type LateRow,
  oneMoment,
  readCompared,
  readEnd,
  readFigures,
  readFreshDays,
  readLate,
  readMonths,
  readOff,
  readTimes,
  readTotals,
  type TimeRow,
} from './store.ts'

export type Figures = Omit<FigureRow, BooksGroup>
/** A row's booked figures, and what is worked out from own stake beside them. */
export type ReportRow = FigureRow & AfterStake

/** The report's days and the ledger. Its days are those since the first movement. */
export type Check = {
  /** Days that equal the ledger to the SUN, that differ, and that nobody has compared yet. */
  equal: number
  different: string[]
  uncompared: number
  sentence: string
}

export type Report = {
  range: Range
  rows: ReportRow[]
  total: Figures & { [Name in keyof AfterStake]: bigint }
  times: TimeRow[]
  late: LateRow[]
  check: Check
  /** The newest movements are left out while the sums are far behind. */
  isComplete: boolean
}

/** Movements after the checkpoint that a report reads by itself: some minutes of a busy service. */
const FRESH_MAX = 20_000
/** Days that a report compares by itself: today, and those that have changed since the loop compared them. */
const COMPARED_MAX = 5
const LATE_MAX = 1_000

/** Reads the sums, and the movements that are not in them yet. */
export function createReport(db: Db) {
  async function check(tx: Tx, range: Range, [after, till]: [string, string]): Promise<Check> {
    const days = [range.from, range.to]
    const compared = (await tx.query(readCompared, days))[0]!
    const fresh = await tx.query(readFreshDays, [...days, after, till])
    const open = await tx.query(daysToCompare, [...days, null])
    const names = [...new Set([...fresh, ...open].map(({ day }) => day))]
    const now = names.slice(0, COMPARED_MAX)
    const different = new Set(compared.different)
    for (const day of now) {
      const { income, costs, movements } = (await tx.query(readOff, [day, after, till]))[0]!
      if (income !== 0n || costs !== 0n || movements !== 0n) different.add(day)
    }
    const known = new Set([...compared.days, ...now])
    const uncompared = names.filter((day) => !known.has(day)).length
    const equal = known.size - different.size
    const sentence = sentenceOf(equal, [...different], uncompared)
    return { equal, different: [...different], uncompared, sentence }
  }

  return (range: Range, groups: readonly BooksGroup[]): Promise<Report> =>
    db.transaction(async (tx) => {
      await tx.query(oneMoment)
      const { upto, last, movements } = (await tx.query(readEnd, [FRESH_MAX + 1]))[0]!
      const isComplete = movements <= FRESH_MAX
      const till = isComplete && last ? last : upto
      const days = [range.from, range.to]
      const by = BOOKS_GROUPS.map((group) => groups.includes(group))
      const read = sourceOf(groups)
      const rows = await tx.query(read, [...days, ...by, upto, till])
      const stake = await stakeDays(tx, range)
      const total = totalOf(rows)
      const stakeCost = stake.reduce((sum, { cost }) => sum + cost, 0n)
      return {
        range,
        rows: withStakeCost(rows, groups, stake),
        total: { ...total, stakeCost, marginAfterStake: total.margin - stakeCost },
        times: await tx.query(readTimes, [...days, upto, till]),
        late: await tx.query(readLate, [...days, LATE_MAX]),
        check: await check(tx, range, [upto, till]),
        isComplete,
      }
    })
}

/** The fewest rows that know all of the groups. */
function sourceOf(groups: readonly BooksGroup[]) {
  if (!groups.includes('client')) return readTotals
  return groups.includes('day') ? readFigures : readMonths
}

function totalOf(rows: readonly FigureRow[]): Figures {
  const sum = (of: keyof Figures) => rows.reduce((all, row) => all + row[of], 0n)
  return {
    revenue: sum('revenue'),
    refunds: sum('refunds'),
    rewards: sum('rewards'),
    providerCost: sum('providerCost'),
    networkFees: sum('networkFees'),
    goodwill: sum('goodwill'),
    margin: sum('margin'),
    returned: sum('returned'),
    completed: sum('completed'),
    failed: sum('failed'),
  }
}

function sentenceOf(equal: number, different: readonly string[], uncompared: number): string {
  const days = (count: number) => (count === 1 ? '1 day' : `${count} days`)
  if (different.length > 0) {
    return `The report DIFFERS from the ledger on ${different.join(', ')}. Do not close this month.`
  }
  if (uncompared > 0) {
    return `The report equals the ledger on ${days(equal)}; ${days(uncompared)} not compared yet.`
  }
  return `The report equals the ledger to the SUN, on ${days(equal)}.`
}
