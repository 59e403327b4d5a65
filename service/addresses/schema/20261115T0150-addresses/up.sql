-- Receiving addresses, derived from the extended public key by their position and never used twice.
create table addresses.address (
  position bigint primary key,
  address text not null unique check (address ~ '^T[1-9A-HJ-NP-Za-km-z]{33}$'),
  purpose text not null check (purpose in ('deposit')),
  account_id uuid not null references identity.account (id),
  created_at timestamptz not null
);
create unique index one_deposit_address_per_account on addresses.address (account_id)
  where purpose = 'deposit';

create table addresses.counter (
  only_row boolean primary key default true check (only_row),
  next_position bigint not null default 0
);
insert into addresses.counter default values;

grant usage on schema addresses to ergon_app;
grant select, insert on addresses.address to ergon_app;
grant select, update on addresses.counter to ergon_app;
