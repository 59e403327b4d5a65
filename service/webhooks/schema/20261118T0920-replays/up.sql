-- Events that are sent again to one webhook, in the order in which they happened.
create table webhooks.replay (
  id uuid primary key,
  webhook_id uuid not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  types text[] not null,
  state text not null check (state in ('running', 'done', 'stopped')),
  -- How many there were at the start, and how many of them have been queued.
  events integer not null,
  queued integer not null default 0,
  -- Not earlier, in business time, is the next one queued; it waits for the first attempt of the last one.
  next_at timestamptz not null,
  last_delivery uuid,
  created_at timestamptz not null
);
create unique index one_replay_per_webhook on webhooks.replay (webhook_id) where state = 'running';
create index replay_due on webhooks.replay (next_at) where state = 'running';

-- The events of a running replay that are not queued yet.
create table webhooks.replay_event (
  replay_id uuid not null references webhooks.replay (id) on delete cascade,
  place integer not null,
  event_id uuid not null,
  event_created_at timestamptz not null,
  primary key (replay_id, place)
);
grant select, insert, update, delete on webhooks.replay, webhooks.replay_event to ergon_app;
