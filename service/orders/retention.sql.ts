import { statement } from '../db/index.ts'

/** Skips locked keys: a purchase may be replacing an expired one. */
export const pruneKeys = statement<{ rows: bigint }>(
  'orders.pruneKeys',
  `
  with gone as (
    delete from orders.idempotency_key k
     using (select account_id, key from orders.idempotency_key
             where created_at < $1
             order by created_at
             limit $2
               for update skip locked) old
     where k.account_id = old.account_id and k.key = old.key
    returning k.key
  )
  select count(*) as rows from gone
`,
)

export const pruneQuotes = statement<{ rows: bigint }>(
  'orders.pruneQuotes',
  `
  with gone as (
    delete from orders.quote q
     using (select id from orders.quote
             where expires_at < $1
             order by expires_at
             limit $2
               for update skip locked) old
     where q.id = old.id
    returning q.id
  )
  select count(*) as rows from gone
`,
)
