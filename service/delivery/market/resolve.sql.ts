import { statement } from '../../db/index.ts'
import { OPEN } from './store.ts'

export type LookRow = {
  id: string
  orderId: string | null
  receiver: string
  energy: bigint
  unitPrice: bigint
  calledAt: Date
  /** Its request is still open. */
  wanted: boolean
}

/**
 * Claims attempts that are due for a look-up. Intervals grow, by the database's clock: up to 15 s while
 * the request is open, up to five minutes afterwards.
 */
export const claimLooks = statement<LookRow>(
  'delivery.claimLooks',
  `
  update delivery.attempt a
     set looks = a.looks + 1,
         look_at = clock_timestamp() + make_interval(secs =>
           least(power(2, least(a.looks, 10)), case when a.suspect_at is null then 15 else 300 end))
   where a.id in (
     select id from delivery.attempt
      where provider = $1 and look_at <= clock_timestamp() and state in ${OPEN}
      order by look_at, id
      limit $2
        for update skip locked)
  returning a.id, a.order_id as "orderId", a.receiver_address as receiver, a.energy,
            a.unit_price_sun as "unitPrice", a.called_at as "calledAt", a.suspect_at is null as wanted
`,
)

/** The next attempt to look up, and whether its order id is known. */
export const findLook = statement<{ known: boolean }>(
  'delivery.findLook',
  `
  select order_id is not null as known from delivery.attempt
   where provider = $1 and look_at <= clock_timestamp() and state in ${OPEN}
   order by look_at, id
   limit 1
`,
)

/** Order ids at this marketplace around that time that belong to other attempts of ours. */
export const readOtherOrders = statement<{ orderId: string }>(
  'delivery.readOtherOrders',
  `
  select order_id as "orderId"
    from delivery.attempt
   where provider = $1 and called_at between $2::timestamptz - interval '1 hour' and $2::timestamptz + interval '1 hour'
     and id <> $3 and order_id is not null
   order by called_at desc
   limit 10000
`,
)

export const recordWord = statement(
  'delivery.recordWord',
  `
  update delivery.attempt
     set word = $2, order_id = coalesce($3, order_id), cost_sun = coalesce($4, cost_sun), told = $5,
         state = case when state in ('sending', 'unknown') then 'sent' else state end
   where id = $1 and state in ${OPEN}
`,
)

/**
 * "Never seen" may mean "not yet": our request can wait in a queue of the marketplace. It counts only
 * after the time within which that queue is emptied.
 */
export const recordNever = statement(
  'delivery.recordNever',
  `
  update delivery.attempt
     set told = 'never seen',
         word = case when called_at + make_interval(secs => $2 / 1000.0) <= clock_timestamp() then 'never' end
   where id = $1 and state in ('sending', 'unknown') and order_id is null
`,
)

export const recordResponse = statement(
  'delivery.recordResponse',
  `
  update delivery.attempt set told = $2 where id = $1 and state in ${OPEN}
`,
)

/** Other attempts for which the same transactions were named. */
export const claimedByOthers = statement<{ txid: string; attempt: string }>(
  'delivery.claimedByOthers',
  `
  select txid, attempt_id as attempt from delivery.claim where txid = any ($1) and attempt_id <> $2 order by txid
`,
)

export const findGiveBack = statement(
  'delivery.findGiveBack',
  `
  select from delivery.attempt where provider = $1 and give_back and id <> all ($2::uuid[]) limit 1
`,
)

export const lockGiveBack = statement<{ id: string; orderId: string }>(
  'delivery.lockGiveBack',
  `
  select id, order_id as "orderId" from delivery.attempt
   where provider = $1 and give_back and id <> all ($3::uuid[])
   order by id
   limit $2
     for update skip locked
`,
)

export const endGiveBack = statement(
  'delivery.endGiveBack',
  `
  update delivery.attempt set give_back = false where id = $1
`,
)
