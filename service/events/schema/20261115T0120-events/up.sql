-- What happened, written in the transaction in which it happened. Append-only, one partition a day.
create table events.event (
  id uuid not null,
  account_id uuid not null,
  type text not null,
  subject text not null,
  created_at timestamptz not null,
  trace text not null,
  data json not null,
  primary key (id, created_at)
) partition by range (created_at);

-- Catches a day nobody prepared; it should stay empty.
create table events.event_default partition of events.event default;

-- Who reads events (webhooks, chat). Each gets one small row per event, which it leases and deletes.
create table events.reader (name text primary key);
create table events.pending (
  reader text not null,
  event_id uuid not null,
  event_created_at timestamptz not null,
  account_id uuid not null,
  lease_until timestamptz not null default '-infinity',
  primary key (reader, event_id)
);

grant usage on schema events to ergon_app;
grant select, insert on events.event to ergon_app;
grant select, insert on events.reader to ergon_app;
grant select, insert, update, delete on events.pending to ergon_app;
