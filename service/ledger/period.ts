import type { Db, Queryable } from '../db/index.ts'
import { listMoved, type PartSum, sumParts, versionTime } from './period.sql.ts'
import {
  balanceAt,
  type DaySum,
  type EntryRow,
  type KindSum,
  listBetween,
  listNewestBetween,
  sumByDay,
  sumByKind,
  versionsBefore,
} from './store.ts'

/** From `from` on, before `to`. */
export type Period = { from: Date; to: Date }

export type PeriodSums = { opening: bigint; closing: bigint; sums: KindSum[] }

/** The movements of an account after a version, up to another one. */
export type Parts = { opening: bigint; closing: bigint; parts: PartSum[] }

export type ReadPeriods = {
  /** Opening balance plus the sums is the closing balance, always. */
  sums(account: string, period: Period): Promise<PeriodSums>
  /** The balance before the period, and the sums of its days. */
  byDay(account: string, period: Period): Promise<{ opening: bigint; sums: DaySum[] }>
  /** Newest first, of one kind or of all. */
  newest(account: string, period: Period, of: { kind?: string; limit: number }): Promise<EntryRow[]>
  /** Oldest first; undefined when there are more than `most`. */
  entries(account: string, period: Period, most: bigint): Promise<EntryRow[] | undefined>
  /** The account's last version before each of the two times. */
  versions(of: Queryable, account: string, period: Period): Promise<{ first: bigint; last: bigint }>
  /** When a version was made; undefined: it is yet to come. */
  timeOf(of: Queryable, account: string, version: bigint): Promise<Date | undefined>
  /** Sums by kind, by what a refund was of, by our side and by month. Opening balance plus all of them is the closing balance. */
  parts(of: Queryable, account: string, after: bigint, upto: bigint): Promise<Parts>
  /** Accounts with movements, in order of their ids. */
  moved(after: string, limit: number): Promise<string[]>
}

export function createReadPeriods(db: Db): ReadPeriods {
  const versionsOf = (account: string, period: Period) => versionsIn(db, account, period)

  async function versionsIn(of: Queryable, account: string, { from, to }: Period) {
    const [row] = await of.query(versionsBefore, [account, from, to])
    return row!
  }

  return {
    async sums(account, period) {
      const { first, last } = await versionsOf(account, period)
      const [[opening], [closing], sums] = await Promise.all([
        db.query(balanceAt, [account, first]),
        db.query(balanceAt, [account, last]),
        db.query(sumByKind, [account, first, last]),
      ])
      return { opening: opening!.balance, closing: closing!.balance, sums }
    },
    async byDay(account, period) {
      const { first, last } = await versionsOf(account, period)
      const [[opening], sums] = await Promise.all([
        db.query(balanceAt, [account, first]),
        db.query(sumByDay, [account, first, last]),
      ])
      return { opening: opening!.balance, sums }
    },
    async newest(account, period, { kind, limit }) {
      const { first, last } = await versionsOf(account, period)
      return db.query(listNewestBetween, [account, first, last, kind ?? null, limit])
    },
    async entries(account, period, most) {
      const { first, last } = await versionsOf(account, period)
      if (last - first > most) return undefined
      return db.query(listBetween, [account, first, last])
    },
    versions: versionsIn,
    timeOf: async (of, account, version) =>
      (await of.query(versionTime, [account, version]))[0]?.at,
    async parts(of, account, after, upto) {
      const [opening] = await of.query(balanceAt, [account, after])
      const [closing] = await of.query(balanceAt, [account, upto])
      const parts = await of.query(sumParts, [account, after, upto])
      return { opening: opening!.balance, closing: closing!.balance, parts }
    },
    moved: async (after, limit) => (await db.query(listMoved, [after, limit])).map(({ id }) => id),
  }
}
