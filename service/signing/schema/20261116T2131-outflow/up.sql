-- The service may turn signing off (signing.turn_off). On it is turned by the signer's role alone.
revoke update on signing.switch from ergon_app;
grant update on signing.switch to ergon_signer;

-- Transactions of our keys that no row of ours asked for. Nobody but the signer's machine can say that
-- one was looked at, and nobody can take one away.
create table signing.outflow (
  txid text primary key,
  address text not null,
  to_address text,
  amount_sun bigint not null check (amount_sun >= 0),
  contract text not null,
  -- Null while the block that held it is orphaned. The signature is out all the same.
  block_number bigint,
  found_at timestamptz not null,
  looked_at timestamptz,
  looked_by text,
  constraint looked_at_by_somebody check ((looked_at is null) = (looked_by is null))
);
create index outflow_not_looked_at on signing.outflow (found_at) where looked_at is null;
create index outflow_by_block on signing.outflow (block_number);
grant select on signing.outflow to ergon_app, ergon_signer;
grant update (looked_at, looked_by) on signing.outflow to ergon_signer;

create index answer_refused on signing.answer (answered_at) where state = 'refused';
