import { statement } from '../db/index.ts'

/**
 * Takes the minute that begins at $1, unless another process has measured since $2 or holds the row. Returns how long nobody
 * measured, by the database's clock: null before the first time.
 */
export const claimMinute = statement<{ gapMs: bigint | null }>(
  'status.claimMinute',
  `
  with was as (
    select w.real_at from status.watch w
     where w.measured_at is null or w.measured_at <= $2 for update skip locked
  )
  update status.watch w
     set measured_at = greatest($1, w.measured_at), real_at = clock_timestamp()
    from was
  returning (extract(epoch from clock_timestamp() - was.real_at) * 1000)::bigint as "gapMs"
`,
)

/** Maintenance between two times. */
export const readWindows = statement<{ from: Date; until: Date; components: string[] }>(
  'status.readWindows',
  `
  select a.from_at as "from", a.until_at as until, a.components
    from status.announcement a
   where a.kind = 'maintenance' and a.withdrawn_at is null and a.from_at <= $2 and a.until_at > $1
`,
)

export const addMinutes = statement(
  'status.addMinutes',
  `
  insert into status.day as d (day, component, operational, degraded, outage, maintenance)
  select m.day, m.component, coalesce(sum(m.minutes) filter (where m.state = 'operational'), 0),
         coalesce(sum(m.minutes) filter (where m.state = 'degraded'), 0),
         coalesce(sum(m.minutes) filter (where m.state = 'outage'), 0),
         coalesce(sum(m.minutes) filter (where m.state = 'maintenance'), 0)
    from unnest($1::date[], $2::text[], $3::text[], $4::bigint[]) as m(day, component, state, minutes)
   group by m.day, m.component
   order by m.day, m.component
  on conflict (day, component) do update
     set operational = d.operational + excluded.operational, degraded = d.degraded + excluded.degraded,
         outage = d.outage + excluded.outage, maintenance = d.maintenance + excluded.maintenance
`,
)
