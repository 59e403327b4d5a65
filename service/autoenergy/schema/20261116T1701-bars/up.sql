-- Energy that others took from a covered address. Kept for good: it outlives the subscription.
create table autoenergy.stray (
  id uuid primary key,
  account_id uuid not null,
  address text not null,
  subscription_id uuid not null,
  -- The activation of the subscription during which it was taken.
  activation bigint not null,
  energy bigint not null check (energy > 0),
  -- Block time at which it was judged.
  at timestamptz not null
);
create index stray_by_address on autoenergy.stray (account_id, address, at);
create index stray_by_subscription on autoenergy.stray (subscription_id, activation);

-- The account cannot cover the address for 30 days, nor can others that do not prove the address.
create table autoenergy.bar (
  id uuid primary key,
  account_id uuid not null,
  address text not null,
  began_at timestamptz not null,
  until timestamptz not null,
  -- An operator ended it; what was taken before does not count any more.
  lifted_at timestamptz,
  constraint bar_ends_after_it_begins check (until > began_at)
);
create index bar_by_address on autoenergy.bar (address, until);
create index bar_by_account on autoenergy.bar (account_id, address);
create unique index one_bar_at_a_time on autoenergy.bar (account_id, address, began_at);

alter table autoenergy.subscription
  -- The key of the address signed for this account.
  add column proven boolean not null default false;

-- Bars as they were kept before: in the reason of the close.
insert into autoenergy.bar (id, account_id, address, began_at, until)
select gen_random_uuid(), account_id, address, closed_at, closed_at + interval '30 days'
  from autoenergy.subscription where close_reason = 'energy_used_by_others';

grant select, insert on autoenergy.stray to ergon_app;
grant select, insert, update on autoenergy.bar to ergon_app;
