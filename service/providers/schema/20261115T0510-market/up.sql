alter table providers.provider
  -- Of the last orders, how many it filled; newer ones count more. Ten thousand is all of them.
  add column fill_bps bigint not null default 10000 check (fill_bps between 1 and 10000),
  -- In a row. From a number of them on nothing is placed until `shut_until`, and then one order only.
  add column failures bigint not null default 0,
  add column shut_until timestamptz,
  -- Our own limit on calls, held by all processes together.
  add column next_call_at timestamptz,
  -- Whoever moved it last asks for the offer.
  add column polled_at timestamptz,
  -- The sandbox's own bound on what is offered.
  add column capacity_energy bigint check (capacity_energy >= 0);

alter table providers.offer
  add column minimum_energy bigint not null default 0,
  -- A surcharge on orders below an amount of Energy.
  add column surcharge_below bigint,
  add column surcharge_sun bigint;

-- What each stake of ours could delegate when it was last read, and up to which block that reading knew.
create table providers.stake (
  owner_address text primary key,
  free_sun bigint not null,
  energy_limit bigint not null,
  energy_weight bigint not null,
  read_block bigint not null
);

-- Delegations that a reading of the stake may not know of yet. Without them the same stake would be
-- sold twice between two blocks, or by two workers at once.
create table providers.stake_in_flight (
  txid text primary key,
  owner_address text not null,
  stake_sun bigint not null check (stake_sun > 0),
  expires_at timestamptz not null,
  block_number bigint
);

grant select, insert, update, delete on providers.stake, providers.stake_in_flight to ergon_app;
grant insert on providers.provider to ergon_app;
