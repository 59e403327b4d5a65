-- Takes and deletes a reader's pending events, without those to skip. Each event is looked up by its key, also when the planner
-- knew nothing about the table: a join, planned while the table was empty, read all events of the day for every
-- thousand.
-- The release before this one names none to skip.
drop function if exists events.take_pending(text, bigint);
create or replace function events.take_pending(wanted text, most bigint, skip uuid[] default '{}')
returns table (id uuid, account_id uuid, type text, created_at timestamptz, trace text, data json)
language plpgsql set search_path = '' set enable_seqscan = off set plan_cache_mode = force_generic_plan rows 1000 as $$
#variable_conflict use_column
begin
  return query
    with taken as (
      delete from events.pending p
       where p.reader = wanted
         and p.event_id = any (array(
               select q.event_id from events.pending q where q.reader = wanted and q.event_id <> all (skip)
                order by q.event_id limit most for update skip locked))
      returning p.event_id, p.event_created_at
    )
    select e.id, e.account_id, e.type, e.created_at, e.trace, e.data
      from taken t
     cross join lateral (
            select v.id, v.account_id, v.type, v.created_at, v.trace, v.data from events.event v
             where v.id = t.event_id and v.created_at = t.event_created_at
             limit 1) e;
end $$;
