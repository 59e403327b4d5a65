-- What own stake has to earn, and over how many days its use is looked at.
create table providers.stake_terms (
  only_row boolean primary key default true check (only_row),
  -- Of the staked TRX, in a year.
  yield_bps bigint not null default 500 check (yield_bps between 1 and 10000),
  -- The share of the Energy produced that counts as sold at least: what sells nothing does not cost without bound.
  floor_bps bigint not null default 8000 check (floor_bps between 100 and 10000),
  days bigint not null default 7 check (days between 1 and 90),
  -- An operator's own figure for all stakes; null: worked out.
  unit_sun bigint check (unit_sun between 1 and 1000000),
  -- By business time; the next round works the cost out anew.
  changed_at timestamptz not null default '-infinity'
);
insert into providers.stake_terms default values;

-- An operator's own figure for one stake.
create table providers.stake_override (
  owner_address text primary key,
  unit_sun bigint not null check (unit_sun between 1 and 1000000)
);

-- Each time that the cost was worked out. It holds from `at` until the next one.
create table providers.stake_costing (
  at timestamptz primary key,
  -- When the one before it was made; the first one covers no time.
  began_at timestamptz not null,
  -- Blocks up to this one are counted.
  upto_block bigint not null,
  yield_bps bigint not null,
  floor_bps bigint not null,
  days bigint not null,
  -- Null: no stake produces Energy.
  unit_sun bigint check (unit_sun > 0),
  constraint begins_before_it_ends check (began_at <= at)
);

create table providers.stake_cost (
  at timestamptz not null references providers.stake_costing (at),
  owner_address text not null,
  -- As the chain had it then: staked for Energy and Bandwidth, and what it produces and has lent as standing Energy in a day.
  staked_sun bigint not null check (staked_sun >= 0),
  energy_per_day bigint not null check (energy_per_day >= 0),
  standing_per_day bigint not null check (standing_per_day >= 0),
  -- Since the costing before it.
  sold_energy bigint not null check (sold_energy >= 0),
  fees_sun bigint not null check (fees_sun >= 0),
  -- Over the days that were looked at. Zero seconds: there was no history yet, and a day that sells all of its Energy counts.
  window_seconds bigint not null check (window_seconds >= 0),
  window_staked_sun bigint not null,
  window_yield_sun bigint not null,
  window_fees_sun bigint not null,
  window_sold_energy bigint not null,
  window_produced_energy bigint not null,
  window_expected_energy bigint not null,
  unit_sun bigint check (unit_sun > 0),
  is_override boolean not null,
  primary key (at, owner_address)
);

grant select, update on providers.stake_terms to ergon_app;
grant select, insert, update, delete on providers.stake_override to ergon_app;
grant select, insert on providers.stake_costing, providers.stake_cost to ergon_app;
