-- Energy that is to stand ready on an address until it is no longer wanted. From own stake only.
create table delivery.standing (
  address text primary key,
  -- Energy that is to be available; 0 takes everything back.
  wanted bigint not null check (wanted >= 0),
  -- Limit less used, as the node last showed it at its head; null when not measured since it was wanted.
  available bigint,
  -- Block time at which it was measured.
  measured_at timestamptz,
  -- Something happened that calls for a look at the address.
  look boolean not null default true,
  -- The last look by the database's clock: a lease between workers, and a pause before the next try.
  looked_at timestamptz
);
create index standing_to_look_at on delivery.standing (address) where look;
create index standing_by_measure on delivery.standing (measured_at) where wanted > 0;

-- Delegations and reclaims of standing Energy, each written before anything is sent.
create table delivery.standing_move (
  txid text primary key,
  address text not null,
  kind text not null check (kind in ('delegate', 'reclaim')),
  owner_address text not null,
  stake_sun bigint not null check (stake_sun > 0),
  signing_request uuid not null,
  expires_at timestamptz not null,
  state text not null check (state in ('sent', 'done', 'dead')),
  block_number bigint,
  -- A reclaim that was to leave nothing of ours on the address.
  empties boolean not null default false,
  constraint done_in_a_block check ((state = 'done') = (block_number is not null))
);
-- One at a time: what is measured while one is under way says nothing.
create unique index one_open_move_per_stake on delivery.standing_move (address, owner_address)
  where state = 'sent';
create index standing_move_by_address on delivery.standing_move (address);
create index standing_move_by_block on delivery.standing_move (block_number) where state = 'done';

grant select, insert, update on delivery.standing, delivery.standing_move to ergon_app;
