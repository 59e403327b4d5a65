import { statement } from '../db/index.ts'

/** A price that nothing has replaced yet is in force, however old it is. */
export const pruneFollowed = statement<{ rows: bigint }>(
  'pricing.pruneFollowed',
  `
  with gone as (
    delete from pricing.followed_price p
     using (select o.rule_id, o.from_at from pricing.followed_price o
             where o.from_at < $1
               and exists (select from pricing.followed_price n
                            where n.rule_id = o.rule_id and n.from_at > o.from_at and n.from_at < $1)
             order by o.from_at limit $2) old
     where p.rule_id = old.rule_id and p.from_at = old.from_at
    returning p.rule_id
  )
  select count(*) as rows from gone
`,
)

export const pruneWholesale = statement<{ rows: bigint }>(
  'pricing.pruneWholesale',
  `
  with gone as (
    delete from pricing.wholesale w
     using (select o.from_at from pricing.wholesale o
             where o.from_at < $1
               and exists (select from pricing.wholesale n where n.from_at > o.from_at and n.from_at < $1)
             order by o.from_at limit $2) old
     where w.from_at = old.from_at
    returning w.from_at
  )
  select count(*) as rows from gone
`,
)
