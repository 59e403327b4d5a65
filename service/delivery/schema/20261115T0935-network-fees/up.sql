-- What the network took for each delegation and reclaim of ours. A stake without bandwidth burns TRX.
create table delivery.network_fee (
  txid text primary key,
  -- Null while the block that held it is orphaned.
  block_number bigint,
  -- Null until its block is solid and its receipt was read.
  fee_sun bigint check (fee_sun >= 0)
);
create index network_fee_to_read on delivery.network_fee (block_number) where fee_sun is null;

grant select, insert, update on delivery.network_fee to ergon_app;
