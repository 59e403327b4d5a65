-- Settings of the hot wallet, with who set them last and why. Off until a person turns it on.
create table treasury.hot_wallet (
  only_row boolean primary key default true check (only_row),
  enabled boolean not null default false,
  floor_sun bigint not null check (floor_sun >= 0),
  ceiling_sun bigint not null,
  cold_address text not null check (cold_address ~ '^T[1-9A-HJ-NP-Za-km-z]{33}$'),
  changed_by text not null,
  changed_at timestamptz not null,
  reason text not null,
  constraint floor_below_ceiling check (floor_sun < ceiling_sun)
);

-- The same for the prepaid balance at each marketplace.
create table treasury.float (
  provider text primary key,
  enabled boolean not null default false,
  -- Where the marketplace takes top-ups. Two marketplaces at one address could not be told apart.
  deposit_address text not null constraint one_marketplace_per_address unique
    check (deposit_address ~ '^T[1-9A-HJ-NP-Za-km-z]{33}$'),
  floor_sun bigint not null check (floor_sun >= 0),
  ceiling_sun bigint not null,
  daily_cap_sun bigint not null check (daily_cap_sun > 0),
  changed_by text not null,
  changed_at timestamptz not null,
  reason text not null,
  constraint floor_below_ceiling check (floor_sun < ceiling_sun)
);

-- Transfers of the hot wallet: to the cold address, and to marketplaces.
create table treasury.transfer (
  id uuid primary key,
  kind text not null check (kind in ('surplus', 'top_up')),
  provider text,
  to_address text not null check (to_address ~ '^T[1-9A-HJ-NP-Za-km-z]{33}$'),
  amount_sun bigint not null check (amount_sun > 0),
  -- requested: asked for, until a solid block holds it or it is dead. solid: a top-up that the marketplace has not shown yet.
  state text not null check (state in ('requested', 'refused', 'dead', 'booked', 'solid', 'missing', 'arrived', 'lost')),
  txid text not null constraint one_transfer_per_transaction unique,
  signing_request uuid not null,
  created_at timestamptz not null,
  fee_sun bigint check (fee_sun >= 0),
  -- Solid, refused or dead since.
  ended_at timestamptz,
  trouble text,
  -- The marketplace's balance before, and between which times it was read. Absent: recovery found the transfer.
  before_sun bigint,
  before_from timestamptz,
  before_till timestamptz,
  -- Attempts at the marketplace that were open then: charged before or after.
  open_before uuid[] not null default '{}',
  -- From then on it is missing.
  due_at timestamptz,
  arrived_at timestamptz,
  -- What the marketplace has credited; the rest is lost.
  credited_sun bigint check (credited_sun between 0 and amount_sun),
  decided_by text,
  decided_at timestamptz,
  decision_reason text,
  constraint top_up_has_a_provider check ((kind = 'top_up') = (provider is not null)),
  constraint states_of_a_surplus check (kind = 'top_up' or state in ('requested', 'refused', 'dead', 'booked')),
  constraint states_of_a_top_up check (kind = 'surplus' or state <> 'booked'),
  constraint requested_has_no_end check ((state = 'requested') = (ended_at is null)),
  constraint solid_has_a_fee check ((state in ('booked', 'solid', 'missing', 'arrived', 'lost')) = (fee_sun is not null)),
  constraint ended_has_a_credit check ((state in ('arrived', 'lost')) = (credited_sun is not null)),
  constraint read_between_two_times check (
    (before_sun is null) = (before_from is null) and (before_sun is null) = (before_till is null))
);
-- Never two alive for one need. What is missing stops the next, until a person has decided.
create unique index one_surplus_at_a_time on treasury.transfer (kind) where kind = 'surplus' and state = 'requested';
create unique index one_top_up_at_a_time on treasury.transfer (provider)
  where kind = 'top_up' and state in ('requested', 'solid', 'missing');
create index transfer_open on treasury.transfer (id) where state in ('requested', 'solid', 'missing');
create index transfer_by_time on treasury.transfer (created_at);

-- Counts what moves the hot wallet: nobody asks for a transfer by a reading that another transfer has made old.
create table treasury.turn (
  only_row boolean primary key default true check (only_row),
  turn bigint not null default 0
);
insert into treasury.turn default values;

-- Why a transfer that is due waits, and the newest forecast of the hot wallet, for people.
create table treasury.waiting (
  purpose text primary key,
  reason text not null,
  since timestamptz not null
);

grant usage on schema treasury to ergon_app;
grant select, insert, update on treasury.hot_wallet, treasury.float, treasury.transfer to ergon_app;
grant select, update on treasury.turn to ergon_app;
grant select, insert, update, delete on treasury.waiting to ergon_app;
