-- Reads and writes for sending deliveries. Plans are cached, and made while the backlog is empty, when a
-- scan of it looks cheaper than a look-up by key. With a backlog of a hundred thousand it is not, so
-- these functions allow look-ups only. A plan may also be made anew at any moment, while a backlog has come that no
-- statistics know of: without sorting the only way to read a queue in order is its index, up to the limit.
-- A sub-select with a limit prevents a join with the messages.

-- Deliveries due at a business time, at most so many per queue, without those that the caller already has.
-- Those are in a subquery so that they are hashed: comparing them one by one cost more than everything
-- else here. The release before this one gives no time; where it runs the clocks agree.
drop function if exists webhooks.read_due(uuid[], integer[], uuid[]);
create or replace function webhooks.read_due(
  queues uuid[], rooms integer[], in_hand uuid[], at timestamptz default clock_timestamp())
returns table (id uuid, webhook_id uuid, attempts integer, due_at timestamptz, type text, body text, trace text)
language plpgsql set search_path = '' set enable_seqscan = off set enable_sort = off
set plan_cache_mode = force_generic_plan rows 1000 as $$
#variable_conflict use_column
begin
  if (select s.enabled from webhooks.sending s where s.only_row) is not true then return; end if;
  return query
    select d.id, d.webhook_id, d.attempts, d.due_at, m.type, m.body, m.trace
      from unnest(queues, rooms) as q(id, room)
     cross join lateral (
            select n.id, n.webhook_id, n.event_id, n.attempts, n.due_at from webhooks.delivery n
             where n.webhook_id = q.id and n.state = 'pending' and n.due_at <= at
               and n.id not in (select h.id from unnest(in_hand) as h(id))
             order by n.due_at, n.id
             limit q.room) d
     cross join lateral (
            select g.type, g.body, g.trace from webhooks.message g where g.event_id = d.event_id limit 1) m;
end $$;

-- Records the outcomes of attempts at a business time, and updates their webhooks. A late outcome of a settled delivery
-- changes nothing. Repeated successes update a webhook once a second. Locks webhooks first, then
-- deliveries, in the same order as disabling a webhook does. The release before this one gives no logs.
drop function if exists webhooks.record_attempts(uuid[], uuid[], text[], float8[], integer[], text[], timestamptz, integer);
create or replace function webhooks.record_attempts(
  ids uuid[], webhook_ids uuid[], states text[], delays float8[], statuses integer[], errors text[],
  at timestamptz, hours integer, logs text[] default null)
returns table (id uuid, failures integer, is_long boolean)
language plpgsql set search_path = '' set enable_seqscan = off set plan_cache_mode = force_generic_plan rows 10 as $$
#variable_conflict use_column
declare
  -- A variable, so that the planner does not choose the partial index on the literal.
  open constant text := 'pending';
  of_one record;
begin
  return query
    update webhooks.endpoint e
       set last_success_at = case when t.succeeded then at else e.last_success_at end,
           last_failure_at = case when t.failed > 0 then at else e.last_failure_at end,
           failures = case when t.succeeded then 0 else e.failures + t.failed end,
           failing_since = case when not t.succeeded then coalesce(e.failing_since, at) end
      from (select g.webhook_id, bool_or(g.state = 'delivered') as succeeded,
                   count(*) filter (where g.state <> 'delivered') as failed
              from unnest(webhook_ids, states) as g(webhook_id, state)
             group by g.webhook_id) t
     where e.id = t.webhook_id and e.removed_at is null
       and (t.failed > 0 or e.failures > 0 or e.last_success_at is null
            or e.last_success_at not between at - interval '1 second' and at)
    returning e.id, e.failures,
              coalesce(at - e.failing_since >= make_interval(hours => hours), false);
  for of_one in
    select g.webhook_id, array_agg(g.id) as ids from unnest(ids, webhook_ids) as g(id, webhook_id) group by g.webhook_id
  loop
    update webhooks.delivery d
       set (state, attempts, attempted_at, due_at, response_status, error, delivered_at, log) = (
             select states[p.place], d.attempts + 1, at, at + make_interval(secs => delays[p.place]),
                    statuses[p.place], errors[p.place], case when states[p.place] = 'delivered' then at end,
                    coalesce(d.log || logs[p.place]::jsonb, jsonb_build_array(logs[p.place]::jsonb), d.log)
               from (select array_position(ids, d.id) as place offset 0) p)
     where d.webhook_id = of_one.webhook_id and d.id = any (of_one.ids) and d.state = open;
  end loop;
end $$;
