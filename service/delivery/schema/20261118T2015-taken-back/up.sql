-- Undelegations of others from addresses that hold Energy for us. Decided when their block is solid.
create table delivery.foreign_reclaim (
  txid text primary key,
  owner_address text not null,
  receiver_address text not null,
  stake_sun bigint not null check (stake_sun > 0),
  block_number bigint not null,
  reclaimed_at timestamptz not null,
  -- Null until it is known what it took from orders.
  decided_at timestamptz
);
create index foreign_reclaim_open on delivery.foreign_reclaim (block_number, txid) where decided_at is null;
create index foreign_reclaim_by_pair on delivery.foreign_reclaim (owner_address, receiver_address, block_number);

-- Stake of a delegation that such a transaction took back before the hour was over.
create table delivery.taken_back (
  reclaim_txid text not null references delivery.foreign_reclaim (txid),
  delegation_txid text not null references delivery.delegation (txid),
  provider text not null,
  stake_sun bigint not null check (stake_sun > 0),
  reclaimed_at timestamptz not null,
  primary key (reclaim_txid, delegation_txid)
);
create index taken_back_by_delegation on delivery.taken_back (delegation_txid);
create index taken_back_by_provider on delivery.taken_back (provider, reclaimed_at);

grant select, insert, update, delete on delivery.foreign_reclaim to ergon_app;
grant select, insert on delivery.taken_back to ergon_app;
