create table autoenergy.subscription (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  address text not null,
  status text not null check (status in ('pending_activation', 'active', 'closed')),
  -- The plan as it was at the last activation.
  plan_name text not null,
  activation_fee_sun bigint not null,
  daily_sub_sun bigint not null,
  unit_price_65k_sun bigint not null,
  unit_price_131k_sun bigint not null,
  term_days bigint,
  idle_hours bigint not null check (idle_hours in (24, 48, 72)),
  quota_max_tx bigint check (quota_max_tx >= 1),
  -- Counts subscribe and each reactivate. Charges and calls carry it.
  activation bigint not null default 1,
  -- How many times the daily fee was charged, ever: the number of the next one is one more.
  days_charged bigint not null default 0,
  tx_used_total bigint not null default 0 check (tx_used_total >= 0),
  -- Held of the account's balance for a call that may still come.
  reserved_sun bigint not null default 0 check (reserved_sun >= 0),
  -- Subscribed, or reactivated; from here the activation has its time.
  requested_at timestamptz not null,
  activated_at timestamptz,
  -- The request for this activation paid for a period of its own, which begins with the activation.
  paid_at_request boolean not null default true,
  -- Paid up to here: the moment at which the next daily fee is due.
  paid_until timestamptz,
  expire_at timestamptz,
  last_activity_at timestamptz,
  -- The first moment at which something is due by time alone; null when nothing is.
  due_at timestamptz,
  closed_at timestamptz,
  close_reason text,
  -- Covered, or its Energy not taken back yet.
  live boolean not null default true,
  deleted_at timestamptz,
  created_at timestamptz not null,
  constraint closed_has_a_moment_and_a_reason check (
    (status = 'closed') = (closed_at is not null) and (closed_at is null) = (close_reason is null)),
  constraint open_is_live check (live or status = 'closed'),
  constraint only_closed_is_deleted check (deleted_at is null or status = 'closed'),
  constraint reserve_while_live check (live or reserved_sun = 0)
);
-- At most one account covers an address.
create unique index one_cover_per_address on autoenergy.subscription (address) where live;
create unique index one_subscription_per_address on autoenergy.subscription (account_id, address)
  where deleted_at is null;
create index subscription_by_account on autoenergy.subscription (account_id, created_at desc, id desc);
create index subscription_due on autoenergy.subscription (due_at) where due_at is not null;
create index subscription_in_transit on autoenergy.subscription (id)
  where status = 'pending_activation' or (status = 'closed' and live);

-- Calls of contracts by covered addresses that took Energy: facts, written with their block.
create table autoenergy.call (
  txid text primary key,
  subscription_id uuid not null,
  account_id uuid not null,
  address text not null,
  -- Null while the block that held it is orphaned.
  block_number bigint,
  block_time timestamptz not null,
  position bigint not null,
  result text not null,
  energy bigint not null,
  energy_usage bigint not null,
  burned_sun bigint not null,
  fee_limit_sun bigint not null,
  expires_at timestamptz not null,
  -- seen: to be decided; billed; free: covered, nothing to pay; owed: on Energy not yet taken back;
  -- ignored: not on our Energy; reversed: orphaned for good.
  state text not null check (state in ('seen', 'billed', 'free', 'owed', 'ignored', 'reversed')),
  energy_class text check (energy_class in ('65k', '131k')),
  billed_sun bigint not null default 0,
  burn_cost_sun bigint not null default 0,
  activation bigint,
  -- Its block is solid, or it is dead: nothing changes any more.
  final boolean not null default false,
  constraint billed_has_a_class check (state not in ('billed', 'owed') or energy_class is not null)
);
create index call_to_decide on autoenergy.call (subscription_id) where state = 'seen';
create index call_owed on autoenergy.call (account_id, address) where state = 'owed';
create index call_not_final on autoenergy.call (block_number) where not final;
create index call_by_subscription on autoenergy.call (subscription_id, block_time desc);

-- What was charged, and what was given back: a negative amount.
create table autoenergy.charge (
  id uuid primary key,
  subscription_id uuid not null,
  account_id uuid not null,
  kind text not null check (kind in ('autoenergy_activate', 'autoenergy_daily', 'autoenergy_unit')),
  -- The reference of the ledger's movement.
  reference text not null,
  activation bigint not null,
  amount_sun bigint not null check (amount_sun <> 0),
  -- Counted in tx_used_total, which a call that was owed before is not.
  counted boolean not null default false,
  -- When it fell due.
  at timestamptz not null,
  created_at timestamptz not null
);
create unique index one_charge_per_fact on autoenergy.charge (kind, reference) where amount_sun > 0;
create unique index one_refund_per_fact on autoenergy.charge (kind, reference) where amount_sun < 0;
create index charge_by_subscription on autoenergy.charge (subscription_id, at desc, created_at desc, id desc);

create table autoenergy.switch (
  only_row boolean primary key default true check (only_row),
  enabled boolean not null default true,
  reason text not null default ''
);
insert into autoenergy.switch default values;

grant usage on schema autoenergy to ergon_app;
grant select, insert, update on autoenergy.subscription, autoenergy.call to ergon_app;
grant select, insert on autoenergy.charge to ergon_app;
grant select, update on autoenergy.switch to ergon_app;
