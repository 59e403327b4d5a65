-- What operators do. The line is written before the deed, its outcome after it: there is no deed
-- without a line, and a line without an outcome says that nobody knows how it ended. Neither is ever
-- changed: the service may only add and read.
create table operator.action (
  id uuid primary key,
  who text not null check (who <> ''),
  what text not null check (what <> ''),
  subject text not null,
  why text not null check (length(why) between 3 and 500),
  at timestamptz not null
);

create table operator.outcome (
  action_id uuid primary key references operator.action (id),
  done boolean not null,
  -- What it was before and what it is after; or why it was refused.
  change jsonb not null
);

-- Corrections of a client's balance. One person asks; above the limit another one approves.
create table operator.adjustment (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  amount_sun bigint not null check (amount_sun <> 0),
  reason text not null check (length(reason) between 3 and 500),
  state text not null check (state in ('requested', 'booked', 'refused')),
  requested_by text not null check (requested_by <> ''),
  requested_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  constraint two_people check (state <> 'booked' or decided_by is null or decided_by <> requested_by),
  constraint decided_has_a_time check ((decided_by is null) = (decided_at is null)),
  constraint refused_by_somebody check (state <> 'refused' or decided_by is not null)
);
create index adjustment_waiting on operator.adjustment (id) where state = 'requested';
create index adjustment_alone on operator.adjustment (requested_by, requested_at)
  where state = 'booked' and decided_by is null;

-- Locked by whoever books alone, so that what one person may do in a day holds in parallel too.
create table operator.adjuster (who text primary key);

grant usage on schema operator to ergon_app;
grant select, insert on operator.action, operator.outcome to ergon_app;
grant select, insert, update on operator.adjustment, operator.adjuster to ergon_app;
