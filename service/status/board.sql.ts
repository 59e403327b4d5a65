import { statement } from '../db/index.ts'

export type WatchRow = {
  measuredAt: Date | null
  /** Since then, by the database's clock. */
  silentMs: bigint | null
}

export const readWatch = statement<WatchRow>(
  'status.readWatch',
  `
  select w.measured_at as "measuredAt",
         (extract(epoch from clock_timestamp() - w.real_at) * 1000)::bigint as "silentMs"
    from status.watch w
`,
)

export type DayRow = {
  day: string
  component: string
  operational: bigint
  degraded: bigint
  outage: bigint
  maintenance: bigint
}

/** From a day on. */
export const readDays = statement<DayRow>(
  'status.readDays',
  `
  select to_char(d.day, 'YYYY-MM-DD') as day, d.component, d.operational, d.degraded, d.outage, d.maintenance
    from status.day d where d.day >= $1::date
`,
)
