import { statement } from '../db/index.ts'

export const rollForward = statement<{ movements: bigint }>(
  'books.rollForward',
  `
  select books.roll_forward($1) as movements
`,
)

export const addDays = statement('books.addDays', `select books.add_days($1)`)

export const daysToCompare = statement<{ day: string }>(
  'books.daysToCompare',
  `
  select to_char(day, 'YYYY-MM-DD') as day from books.day
   where compared_at is null and day >= $1 and day < $2
   order by day desc
   limit $3
`,
)

export const compareDay = statement('books.compareDay', `select books.compare_day($1, $2)`)

/** All statements of a report see one moment. */
export const oneMoment = statement(
  'books.oneMoment',
  `set transaction isolation level repeatable read, read only`,
)

/** The checkpoint, and the last of the movements after it with their number, at most $1. */
export const readEnd = statement<{ upto: string; last: string | null; movements: bigint }>(
  'books.readEnd',
  `
  select c.upto, s.upto as last, s.movements
    from books.checkpoint c cross join lateral ledger.slice_after(c.upto, $1, false) s
`,
)

export type FigureRow = {
  day: string | null
  month: string | null
  product: string | null
  client: string | null
  provider: string | null
  revenue: bigint
  refunds: bigint
  rewards: bigint
  providerCost: bigint
  networkFees: bigint
  goodwill: bigint
  margin: bigint
  returned: bigint
  completed: bigint
  failed: bigint
}

const ADDED = (line: string) =>
  `coalesce(sum(s.amount) filter (where s.line = '${line}'), 0)::bigint`
const TAKEN = (line: string) => `(-${ADDED(line)})::bigint`

const SUMS = (from: string) =>
  `select d.day, d.product, d.client_id, d.provider, d.line, d.amount_sun, d.movements from ${from}`
/** The first whole month from day $1 on, and the month of day $2, which is not whole before it. */
const FIRST_MONTH = `date_trunc('month', $1::date + interval '1 month' - interval '1 day')::date`
const AFTER_MONTHS = `date_trunc('month', $2::date)::date`

/** Lines become columns last: a year has many sums, and few groups. */
const figures = (sums: string) => `
  select to_char(s.day, 'YYYY-MM-DD') as day, to_char(s.month, 'YYYY-MM') as month, s.product, s.client, s.provider,
         ${ADDED('revenue')} as revenue, ${TAKEN('refunds')} as refunds, ${ADDED('rewards')} as rewards,
         ${TAKEN('provider_cost')} as "providerCost", ${TAKEN('network_fee')} as "networkFees",
         ${TAKEN('goodwill')} as goodwill,
         coalesce(sum(s.amount) filter (where s.line <> 'returned'), 0)::bigint as margin,
         ${TAKEN('returned')} as returned,
         coalesce(sum(s.movements) filter (where s.line = 'revenue' and s.is_order), 0)::bigint as completed,
         coalesce(sum(s.movements) filter (where s.line = 'returned'), 0)::bigint as failed
    from (select case when $3 then c.day end as day, case when $4 then date_trunc('month', c.day) end as month,
                 case when $5 then c.product end as product, case when $6 then c.client_id end as client,
                 case when $7 then c.provider end as provider, c.line, c.product in ('api', 'agent') as is_order,
                 sum(c.amount_sun) as amount, sum(c.movements) as movements
            from (${sums}
                   union all
                  select a.day, a.product, a.client_id, a.provider, a.line, a.amount_sun, a.movements
                    from books.attributed($8, $9) a where a.day >= $1 and a.day < $2) c
           group by 1, 2, 3, 4, 5, 6, 7) s
   group by s.day, s.month, s.product, s.client, s.provider
   order by s.day, s.month, s.product, s.client, s.provider
`

/**
 * From day $1 until before $2, by day, month, product, client and provider where $3 to $7 say so. Sums up to the checkpoint
 * $8, and the movements after it up to $9.
 */
export const readFigures = statement<FigureRow>(
  'books.readFigures',
  figures(SUMS('books.daily d where d.day >= $1 and d.day < $2')),
)

/** The same where clients do not matter, from a thousandth of the rows. */
export const readTotals = statement<FigureRow>(
  'books.readTotals',
  figures(`select d.day, d.product, null::uuid as client_id, d.provider, d.line, d.amount_sun, d.movements
                    from books.daily_total d where d.day >= $1 and d.day < $2`),
)

/** The same where days do not matter: whole months, and the days before and after them. */
export const readMonths = statement<FigureRow>(
  'books.readMonths',
  figures(`select m.month as day, m.product, m.client_id, m.provider, m.line, m.amount_sun, m.movements
                    from books.client_month m where m.month >= ${FIRST_MONTH} and m.month < ${AFTER_MONTHS}
                   union all
                  ${SUMS(`books.daily d where d.day >= $1 and d.day < least(${FIRST_MONTH}, $2::date)`)}
                   union all
                  ${SUMS(`books.daily d where d.day >= greatest(${FIRST_MONTH}, ${AFTER_MONTHS}) and d.day < $2`)}`),
)

export type TimeRow = { day: string; orders: bigint; median: bigint; p95: bigint }

/** Seconds from the charge to the delivery, per day; the parameters as above. */
export const readTimes = statement<TimeRow>(
  'books.readTimes',
  `
  with taken as (
    select t.day, t.seconds, t.orders from books.delivery_time t where t.day >= $1 and t.day < $2
     union all
    select a.day, a.seconds, 1 from books.attributed($3, $4) a where a.seconds is not null and a.day >= $1 and a.day < $2
  ), ranked as (
    select s.day, s.seconds, sum(s.orders) over (partition by s.day order by s.seconds) as upto,
           sum(s.orders) over (partition by s.day) as whole
      from (select t.day, t.seconds, sum(t.orders) as orders from taken t group by t.day, t.seconds) s
  )
  select to_char(r.day, 'YYYY-MM-DD') as day, r.whole::bigint as orders,
         min(r.seconds) filter (where r.upto * 2 >= r.whole) as median,
         min(r.seconds) filter (where r.upto * 100 >= r.whole * 95) as p95
    from ranked r
   group by r.day, r.whole
   order by r.day
`,
)

export type Off = { income: bigint; costs: bigint; movements: bigint }

/** How the days of a range stand to the ledger; without the days that are not compared. */
export const readCompared = statement<{ days: string[]; different: string[] }>(
  'books.readCompared',
  `
  select coalesce(array_agg(to_char(day, 'YYYY-MM-DD')), '{}') as days,
         coalesce(array_agg(to_char(day, 'YYYY-MM-DD') order by day)
           filter (where (income_off_sun, costs_off_sun, movements_off) <> (0, 0, 0)), '{}') as different
    from books.day
   where day >= $1 and day < $2 and compared_at is not null
`,
)

/** Days of movements after the checkpoint $3 up to $4; newest first. */
export const readFreshDays = statement<{ day: string }>(
  'books.readFreshDays',
  `
  select to_char(a.of_day, 'YYYY-MM-DD') as day from books.attributed($3, $4) a
   where a.of_day >= $1 and a.of_day < $2
   group by a.of_day
   order by a.of_day desc
`,
)

/** A day now, up to the checkpoint $2 and with the movements after it up to $3. */
export const readOff = statement<Off>(
  'books.readOff',
  `
  select income_sun as income, costs_sun as costs, movements from books.difference($1, $2, $3)
`,
)

export const countUncompared = statement<{ days: bigint }>(
  'books.countUncompared',
  `
  select count(*) as days from books.day where compared_at is null and day >= $1 and day < $2
`,
)

export const countDifferent = statement<{ days: bigint }>(
  'books.countDifferent',
  `
  select count(*) as days from books.day where (income_off_sun, costs_off_sun, movements_off) <> (0, 0, 0)
`,
)

export type LateRow = {
  movement: string
  ofDay: string
  day: string
  kind: string
  reference: string
  amount: bigint
}

/** Movements that count for another day than their own, of either kind. */
export const readLate = statement<LateRow>(
  'books.readLate',
  `
  select movement_id as movement, to_char(of_day, 'YYYY-MM-DD') as "ofDay", to_char(day, 'YYYY-MM-DD') as day, kind,
         reference_id as reference, amount_sun as amount
    from books.late
   where day <> of_day and (day >= $1 and day < $2 or of_day >= $1 and of_day < $2)
   order by movement_id
   limit $3
`,
)

export type MonthRow = {
  month: string
  margin: bigint | null
  closedBy: string | null
  why: string | null
  closedAt: Date | null
}

/** Newest first. */
export const listMonths = statement<MonthRow>(
  'books.listMonths',
  `
  select to_char(m.month, 'YYYY-MM') as month, c.margin_sun as margin, c.closed_by as "closedBy", c.why, c.closed_at as "closedAt"
    from (select distinct date_trunc('month', day)::date as month from books.day) m
    left join books.closed_month c on c.month = m.month
   order by m.month desc
`,
)

export const holdSums = statement<{ upto: string }>(
  'books.holdSums',
  `select books.hold_sums() as upto`,
)

/** Whether a movement that was made before $2 comes after the checkpoint $1. */
export const isBehind = statement<{ behind: boolean }>(
  'books.isBehind',
  `
  select coalesce(s.upto < db.id_at($2), false) as behind from ledger.slice_after($1, 1, false) s
`,
)

export const insertClosed = statement<{ margin: bigint }>(
  'books.insertClosed',
  `
  insert into books.closed_month (month, margin_sun, closed_by, why, closed_at)
  select $1, coalesce(sum(d.amount_sun) filter (where d.line <> 'returned'), 0)::bigint, $3, $4, $5
    from books.daily_total d where d.day >= $1 and d.day < $2
  returning margin_sun as margin
`,
)
