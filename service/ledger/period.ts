import type { Db } from '../db/index.ts'
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

export type ReadPeriods = {
  /** Opening balance plus the sums is the closing balance, always. */
  sums(account: string, period: Period): Promise<PeriodSums>
  /** The balance before the period, and the sums of its days. */
  byDay(account: string, period: Period): Promise<{ opening: bigint; sums: DaySum[] }>
  /** Newest first, of one kind or of all. */
  newest(account: string, period: Period, of: { kind?: string; limit: number }): Promise<EntryRow[]>
  /** Oldest first; undefined when there are more than `most`. */
  entries(account: string, period: Period, most: bigint): Promise<EntryRow[] | undefined>
}

export function createReadPeriods(db: Db): ReadPeriods {
  async function versionsOf(account: string, { from, to }: Period) {
    const [row] = await db.query(versionsBefore, [account, from, to])
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
  }
}
