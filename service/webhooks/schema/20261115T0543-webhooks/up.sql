-- Locked by whoever changes an account's webhooks: how many there are and what they are told of is
-- worked out over all of them.
create table webhooks.owner (account_id uuid primary key references identity.account (id));

create table webhooks.endpoint (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  name text not null,
  url text not null,
  -- The types it is told of.
  types text[] not null,
  status text not null check (status in ('active', 'disabled')),
  disabled_reason text,
  -- Sealed by the service; the database never sees a secret.
  secret bytea not null,
  previous_secret bytea,
  -- Until then, in business time, the previous secret signs and the new one beside it.
  previous_until timestamptz,
  created_at timestamptz not null,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  -- The run of failures since the last success; its beginning is by the database's clock.
  failures integer not null default 0,
  failing_since timestamptz,
  -- A removed one is kept without its secrets until its deliveries have been cleared away.
  removed_at timestamptz,
  constraint only_disabled_have_a_reason check ((status = 'disabled') = (disabled_reason is not null))
);
create index endpoint_of_account on webhooks.endpoint (account_id) where removed_at is null;
create index removed_endpoint on webhooks.endpoint (id) where removed_at is not null;

-- The bytes that are signed and sent, the same at every attempt and to every webhook.
create table webhooks.message (
  event_id uuid primary key,
  type text not null,
  trace text not null,
  body text not null,
  created_at timestamptz not null
);
create index message_by_age on webhooks.message (created_at);

create table webhooks.delivery (
  id uuid primary key,
  webhook_id uuid not null,
  event_id uuid not null,
  state text not null check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- When it is to be sent, by the database's clock.
  due_at timestamptz not null,
  response_status integer,
  error text,
  created_at timestamptz not null,
  attempted_at timestamptz,
  delivered_at timestamptz
) with (fillfactor = 85);
create index delivery_due on webhooks.delivery (webhook_id, due_at, id) where state = 'pending';
create index delivery_by_webhook on webhooks.delivery (webhook_id, id desc);
create index delivery_by_age on webhooks.delivery (created_at);
create index delivery_by_event on webhooks.delivery (event_id);

-- One queue per webhook. A worker holds it while there is something to send, so that nobody else sends
-- the same, and four at once are four at once. due_at is never later than the first delivery due.
create table webhooks.queue (
  webhook_id uuid primary key,
  due_at timestamptz not null default 'infinity',
  owner uuid,
  lease_until timestamptz not null default '-infinity'
) with (fillfactor = 50);
create index queue_due on webhooks.queue (due_at);

-- The kill switch: nothing is sent while it is off, and nothing is lost.
create table webhooks.sending (
  only_row boolean primary key default true check (only_row),
  enabled boolean not null default true,
  reason text
);
insert into webhooks.sending default values;

grant usage on schema webhooks to ergon_app;
grant select, insert, update on webhooks.owner to ergon_app;
grant select, insert, update, delete on webhooks.endpoint, webhooks.message, webhooks.delivery, webhooks.queue to ergon_app;
grant select, update on webhooks.sending to ergon_app;
