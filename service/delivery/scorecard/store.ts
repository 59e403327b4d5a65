import { idAt, statement } from '../../db/index.ts'

/** Nothing while another process counts. */
export const lockScorecard = statement<{ countedAt: Date | null }>(
  'delivery.lockScorecard',
  `
  select counted_at as "countedAt" from delivery.scorecard for update skip locked
`,
)

export const deleteHours = statement(
  'delivery.deleteHours',
  `
  delete from delivery.scorecard_hour where hour >= $1 and hour < $2
`,
)

/**
 * Attempts from $1 until before $2 whose end is known. What came after the deadline has failed. Own stake has its
 * price in the plan. Ids are made within an hour of the attempt's time.
 */
export const insertHours = statement(
  'delivery.insertHours',
  `
  insert into delivery.scorecard_hour (hour, provider, outcome, seconds, attempts, energy, price_sun)
  select e.hour, e.provider, e.outcome, e.seconds, count(*), sum(e.energy), sum(e.energy * e.unit_price)
    from (select date_trunc('hour', a.created_at) as hour, a.provider, a.energy,
                 case when a.unit_price_sun > 0 then a.unit_price_sun else p.unit_price_sun end as unit_price,
                 case when a.state = 'delivered' and l.at <= r.deadline_at then 'delivered' else 'failed' end as outcome,
                 case when a.state <> 'delivered' or l.at > r.deadline_at then 0
                      else greatest(0, ceil(extract(epoch from l.at - a.created_at)))::bigint end as seconds
            from delivery.attempt a
            join delivery.part p on p.id = a.part_id
            join delivery.request r on r.id = p.request_id
           cross join lateral (select max(d.delegated_at) as at from delivery.delegation d where d.attempt_id = a.id) l
           where a.id >= ${idAt("$1::timestamptz - interval '1 hour'")} and a.id < ${idAt("$2::timestamptz + interval '1 hour'")}
             and a.created_at >= $1 and a.created_at < $2
             and a.state in ('delivered', 'partial', 'refused', 'absent')
             and (a.state <> 'delivered' or l.at is not null)) e
   group by e.hour, e.provider, e.outcome, e.seconds
`,
)

export const setCounted = statement(
  'delivery.setCounted',
  `
  update delivery.scorecard set counted_at = $1
`,
)

export const readCounted = statement<{ countedAt: Date | null }>(
  'delivery.readCounted',
  `
  select counted_at as "countedAt" from delivery.scorecard
`,
)

export type ScoreRow = {
  provider: string
  window: string
  delivered: bigint
  failed: bigint
  price: bigint | null
  median: bigint | null
  p95: bigint | null
}

/** Of each window, which is named in $1 and begins at the time of $2 with the same place. */
export const readScores = statement<ScoreRow>(
  'delivery.readScores',
  `
  with picked as (
    select w.name as window, h.provider, h.outcome, h.seconds, sum(h.attempts) as attempts, sum(h.energy) as energy,
           sum(h.price_sun) as price
      from unnest($1::text[], $2::timestamptz[]) as w(name, since)
      join delivery.scorecard_hour h on h.hour >= w.since
     group by w.name, h.provider, h.outcome, h.seconds
  ), ranked as (
    select p.*, sum(p.attempts) over w as upto, sum(p.attempts) over (partition by p.window, p.provider, p.outcome) as whole
      from picked p
    window w as (partition by p.window, p.provider, p.outcome order by p.seconds)
  )
  select r.provider, r.window,
         coalesce(sum(r.attempts) filter (where r.outcome = 'delivered'), 0)::bigint as delivered,
         coalesce(sum(r.attempts) filter (where r.outcome = 'failed'), 0)::bigint as failed,
         (sum(r.price) filter (where r.outcome = 'delivered')
           / nullif(sum(r.energy) filter (where r.outcome = 'delivered'), 0))::bigint as price,
         min(r.seconds) filter (where r.outcome = 'delivered' and r.upto * 2 >= r.whole) as median,
         min(r.seconds) filter (where r.outcome = 'delivered' and r.upto * 100 >= r.whole * 95) as p95
    from ranked r
   group by r.provider, r.window
   order by r.provider
`,
)

export const pruneHours = statement<{ rows: bigint }>(
  'delivery.pruneHours',
  `
  with gone as (
    delete from delivery.scorecard_hour h
     using (select o.hour, o.provider, o.outcome, o.seconds from delivery.scorecard_hour o
             where o.hour < $1 order by o.hour limit $2) o
     where (h.hour, h.provider, h.outcome, h.seconds) = (o.hour, o.provider, o.outcome, o.seconds)
    returning h.hour
  )
  select count(*) as rows from gone
`,
)
