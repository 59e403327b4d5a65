-- The only writer of events, for other rooms' SQL as well as for this room's store.
create or replace function events.emit_many(
  ids uuid[], accounts uuid[], types text[], subjects text[], times timestamptz[], traces text[], payloads json[])
returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into events.event (id, account_id, type, subject, created_at, trace, data)
  select * from unnest(ids, accounts, types, subjects, times, traces, payloads);
  insert into events.pending (reader, event_id, event_created_at, account_id)
  select i.reader, g.id, g.created_at, g.account_id
    from unnest(ids, times, accounts, types) as g(id, created_at, account_id, type)
    join events.interest i on i.account_id = g.account_id and g.type = any (i.types);
end $$;

-- The same for one event.
create or replace function events.emit_one(
  id uuid, account uuid, type text, subject text, at timestamptz, trace text, data json)
returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into events.event (id, account_id, type, subject, created_at, trace, data)
  values (id, account, type, subject, at, trace, data);
  insert into events.pending (reader, event_id, event_created_at, account_id)
  select i.reader, emit_one.id, at, account
    from events.interest i where i.account_id = account and emit_one.type = any (i.types);
end $$;

-- Creates the partitions of the given days. A day whose rows already lie in the default partition is
-- left there: moving them would lock the table. A lock admits one node at a time, because two would
-- deadlock.
create or replace function events.prepare_days(first date, last date) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  day date;
  made bigint := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('events.prepare_days', 0));
  -- Everybody who writes an event queues behind a partition that waits for the table.
  perform set_config('lock_timeout', '250', true);
  for day in select d::date from generate_series(first::timestamp, last::timestamp, '1 day') d loop
    if to_regclass(format('events.event_%s', to_char(day, 'YYYYMMDD'))) is not null then continue; end if;
    if exists (select from events.event_default e where e.created_at >= day and e.created_at < day + 1) then continue; end if;
    execute format(
      'create table if not exists events.event_%s partition of events.event for values from (%L) to (%L)',
      to_char(day, 'YYYYMMDD'), day::timestamptz, (day + 1)::timestamptz);
    made := made + 1;
  end loop;
  return made;
end $$;

-- The accounts for which a reader wants events of this type, of those whose choice was changed lately, and since when.
-- The release before this one asks for all.
drop function if exists events.interested(text);
create or replace function events.interested(wanted text, changed_since timestamptz default '-infinity')
returns table (account_id uuid, since timestamptz)
language sql stable security definer set search_path = '' as $$
  select i.account_id, min(i.since) from events.interest i
   where wanted = any (i.types) and i.since >= changed_since group by i.account_id
$$;

create or replace function events.is_wanted(account uuid, wanted text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from events.interest i where i.account_id = account and wanted = any (i.types))
$$;
