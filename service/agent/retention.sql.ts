import { statement } from '../db/index.ts'

export const pruneDust = statement<{ rows: bigint }>(
  'agent.pruneDust',
  `
  with gone as (
    delete from agent.dust d
     using (select o.txid, o.position from agent.dust o where o.created_at < $1 order by o.created_at limit $2) old
     where d.txid = old.txid and d.position = old.position
    returning d.txid
  )
  select count(*) as rows from gone
`,
)

/**
 * Versions that were replaced before the time, of the configurations after $3. The version at that time
 * stays, and so do all that a payment under way may be judged by. The auditor goes by versions_since, which
 * moves with the rows.
 */
export const pruneVersions = statement<{ rows: bigint; next: string | null }>(
  'agent.pruneVersions',
  `
  with till as materialized (
    select least($1::timestamptz, (select min(p.block_time) - interval '1 hour' from agent.payment p
                                    where p.status = 'processing')) as at
  ), mark as (
    update agent.terms set versions_since = (select at from till)
     where versions_since < (select at - interval '1 hour' from till)
  ), slice as materialized (
    select c.id from agent.config c where c.id > $3::uuid order by c.id limit 1000
  ), gone as (
    delete from agent.config_version v
     using (select o.config_id, o.valid_from
              from slice s
             cross join lateral (
                    select w.config_id, w.valid_from from agent.config_version w
                     where w.config_id = s.id
                       and w.valid_from < (select max(k.valid_from) from agent.config_version k
                                            where k.config_id = s.id and k.valid_from <= (select at from till))
                     order by w.valid_from limit $2) o
             limit $2) o
     where v.config_id = o.config_id and v.valid_from = o.valid_from
    returning v.config_id
  )
  select (select count(*) from gone) as rows,
         (select s.id::text from slice s order by s.id offset 999) as next
`,
)
