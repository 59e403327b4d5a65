-- Since when events are kept, and an hour: the event of a change may be a moment older than the change, and of the day before.
create or replace function events.kept_since() returns timestamptz
language sql stable security definer set search_path = '' as $$
  select k.since + interval '1 hour' from events.kept k
$$;

-- Drops one partition of a day that ended before the given time, or deletes old rows of days that nobody
-- prepared, at most so many; returns their number, `most` for a partition. First the mark moves, and only
-- the next call drops: a check that read the old mark ends before. A lock that is not free at once is
-- tried for in the next round: everybody who writes events would wait behind us. The last 29 days stay,
-- even if the caller asks for more: a process with a wrong clock, or a thief, drops nothing that clients still read.
create or replace function events.drop_before(before timestamptz, most bigint) returns bigint
language plpgsql security definer set search_path = '' set lock_timeout = '200ms' as $$
declare
  first_kept constant date := (least(before, db.business_now() - interval '29 days') at time zone 'UTC')::date;
  start constant timestamptz := first_kept::timestamp at time zone 'UTC';
  oldest text;
  deleted bigint;
begin
  update events.kept k set since = start where k.since < start;
  if found then return 0; end if;

  delete from events.event_default e
   where (e.id, e.created_at) in (
           select o.id, o.created_at from events.event_default o where o.created_at < start order by o.id limit most);
  get diagnostics deleted = row_count;
  if deleted > 0 then return deleted; end if;

  select c.relname into oldest
    from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'events.event'::pg_catalog.regclass
     and c.relname ~ '^event_[0-9]{8}$' and right(c.relname, 8) < to_char(first_kept, 'YYYYMMDD')
   order by c.relname
   limit 1;
  if oldest is null then return 0; end if;

  perform pg_advisory_xact_lock(hashtextextended('events.prepare_days', 0));
  -- A reader that has not come for so long finds nothing.
  delete from events.pending p where p.event_created_at < start;
  execute format('drop table if exists events.%I', oldest);
  return most;
end $$;
revoke execute on function events.drop_before(timestamptz, bigint) from public;
grant execute on function events.drop_before(timestamptz, bigint) to ergon_app;
