-- TRC-20 tokens that came to our addresses. Never credited: a person decides what becomes of them.
create table deposits.token (
  txid text not null,
  position bigint not null,
  token_address text not null,
  address text not null,
  amount numeric not null,
  block_number bigint not null,
  created_at timestamptz not null,
  primary key (txid, position)
);
grant select, insert, delete on deposits.token to ergon_app;
