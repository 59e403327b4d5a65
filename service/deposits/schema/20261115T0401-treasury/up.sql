-- Verified TRX that lies on a deposit address, by our books. Says which addresses are worth asking
-- the chain about; there may be a million of them and most are empty.
create table deposits.holding (
  address text primary key,
  amount_sun bigint not null
);
create index holding_by_amount on deposits.holding (amount_sun desc) where amount_sun > 0;
insert into deposits.holding (address, amount_sun)
select address, sum(amount_sun) from deposits.deposit where verified_at is not null group by address;

-- Transfers of our own: from a deposit address to the hot wallet.
create table deposits.sweep (
  id uuid primary key,
  address text not null,
  amount_sun bigint not null check (amount_sun > 0),
  txid text not null constraint one_sweep_per_transaction unique,
  signing_request uuid not null,
  state text not null check (state in ('open', 'booked', 'dead', 'refused')),
  fee_sun bigint check (fee_sun >= 0),
  reason text,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint booked_has_a_fee check ((state = 'booked') = (fee_sun is not null)),
  constraint open_has_no_end check ((state = 'open') = (ended_at is null))
);
create unique index one_open_sweep_per_address on deposits.sweep (address) where state = 'open';
create index sweep_by_address on deposits.sweep (address, created_at desc);

-- Money that leaves to a client, by the word of two people.
create table deposits.payout (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  to_address text not null check (to_address ~ '^T[1-9A-HJ-NP-Za-km-z]{33}$'),
  amount_sun bigint not null check (amount_sun > 0),
  reason text not null check (length(reason) between 3 and 500),
  requested_by text not null,
  requested_at timestamptz not null,
  approved_by text,
  approved_at timestamptz,
  state text not null check (state in ('requested', 'approved', 'paid')),
  -- The transaction under way, or the one that paid. A dead one is replaced.
  txid text unique,
  signing_request uuid,
  fee_sun bigint check (fee_sun >= 0),
  trouble text,
  try_after timestamptz,
  constraint two_people check (approved_by is null or approved_by <> requested_by),
  constraint approved_has_a_name check (
    (state = 'requested') = (approved_by is null) and (approved_by is null) = (approved_at is null)),
  constraint asked_after_approval check (state <> 'requested' or txid is null),
  constraint paid_by_a_transaction check ((state = 'paid') = (fee_sun is not null) and (state <> 'paid' or txid is not null))
);
create index payout_under_way on deposits.payout (id) where state = 'approved';

-- Switches of the treasury, read at once by all.
create table deposits.switch (
  only_row boolean primary key default true check (only_row),
  sweeps_enabled boolean not null default true,
  reason text not null default ''
);
insert into deposits.switch default values;

grant select, insert, update on deposits.holding, deposits.sweep, deposits.payout to ergon_app;
grant select, update on deposits.switch to ergon_app;
