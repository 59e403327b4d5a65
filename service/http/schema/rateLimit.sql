-- Rate windows use the database's clock, which all nodes share.

-- The release before this one does not say how many it needs.
drop function if exists http.draw_budget(uuid, bigint, bigint, bigint, bigint);

-- Grants up to `chunk` requests; none where fewer than `needed` are left.
create or replace function http.draw_budget(
  who uuid, window_ms bigint, budget bigint, chunk bigint, already_used bigint, needed bigint,
  out granted bigint, out ms_left bigint)
language plpgsql set search_path = '' as $$
declare
  at timestamptz := clock_timestamp();
  length interval := make_interval(secs => window_ms / 1000.0);
  w http.rate_window;
begin
  insert into http.rate_window as r (account_id, started_at, used) values (who, at, 0)
  on conflict (account_id) do update
    set started_at = case when r.started_at + length <= at then at else r.started_at end,
        used = case when r.started_at + length <= at then 0 else r.used end
  returning * into w;
  -- Requests that a node allowed before it knew of other nodes count too.
  granted := greatest(least(chunk, budget - w.used - already_used), 0);
  if granted < needed then
    granted := 0;
  end if;
  update http.rate_window r set used = least(budget, w.used + already_used + granted) where r.account_id = who;
  ms_left := ceil(extract(epoch from (w.started_at + length - at)) * 1000);
end $$;

-- Returns the number of API nodes seen recently, including this one, and deletes the others.
create or replace function http.register_node(node_id uuid, seen_ms bigint) returns bigint
language plpgsql set search_path = '' as $$
declare
  at timestamptz := clock_timestamp();
begin
  insert into http.node (id, seen_at) values (node_id, at)
  on conflict (id) do update set seen_at = excluded.seen_at;
  delete from http.node n where n.seen_at < at - make_interval(secs => seen_ms / 1000.0);
  return (select count(*) from http.node);
end $$;
