import { statement } from './statement.ts'

/**
 * Who else is connected and could change anything, how many of them go by what they have read, and for how
 * long there has been a session of our own, a minute at most. And how many sessions of clients there have been: one that
 * came and went since the last look is among them, because a server counts it before it takes it off the list.
 */
export const lookAround = statement<{
  others: number
  keepers: number
  presentMs: number
  sessions: bigint
}>(
  'db.lookAround',
  `
  select (count(*) filter (where not is_own))::int as others,
         (count(*) filter (where not is_own and application_name like 'ergon-%/%'))::int as keepers,
         least(coalesce(extract(epoch from clock_timestamp() - min(backend_start) filter (where is_own)) * 1000, 0),
               60000)::int as "presentMs",
         (select pg_catalog.pg_stat_get_db_sessions(oid) from pg_catalog.pg_database
           where datname = pg_catalog.current_database()) as sessions
    from (select application_name, backend_start, application_name like '%/' || $1 as is_own
            from pg_catalog.pg_stat_activity
           where datname = pg_catalog.current_database() and usesysid is not null
             and (pg_catalog.pg_has_role(usesysid, 'ergon_app', 'member')
                  or pg_catalog.pg_has_role(usesysid, 'ergon_api', 'member')
                  or pg_catalog.pg_has_role(usesysid, 'ergon_owner', 'member')
                  or pg_catalog.pg_has_role(usesysid, 'pg_write_all_data', 'member'))) session
`,
)

export const readAhead = statement<{ aheadMs: bigint }>(
  'db.readAhead',
  `
  select ahead_ms as "aheadMs" from db.clock
`,
)

export const moveAhead = statement<{ aheadMs: bigint }>(
  'db.moveAhead',
  `
  update db.clock set ahead_ms = ahead_ms + $1 returning ahead_ms as "aheadMs"
`,
)
