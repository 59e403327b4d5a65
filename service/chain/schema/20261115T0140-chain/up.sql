-- The last block whose facts are written, and the last one known to be solid.
create table chain.cursor (
  only_row boolean primary key default true check (only_row),
  number bigint not null,
  block_id text not null,
  block_time timestamptz not null,
  solid_number bigint not null,
  solid_id text not null,
  solid_time timestamptz not null
);

create table chain.block (
  id text primary key,
  number bigint not null,
  parent_id text not null,
  block_time timestamptz not null,
  on_chain boolean not null
);
create unique index one_block_per_height on chain.block (number) where on_chain;

-- Addresses whose incoming transfers are facts for us: 21 bytes in lower-case hex, as blocks have
-- them. `added_by` is the transaction that added the row: a reader that remembers its snapshot finds
-- every later row by it, in whatever order the adding transactions commit.
create table chain.watched (
  address text primary key check (address ~ '^41[0-9a-f]{40}$'),
  purpose text not null,
  added_by xid8 not null default pg_current_xact_id()
);
create index watched_by_transaction on chain.watched (added_by);

-- Signed bytes on their way to the chain. The same bytes are sent until they are in a block or dead.
create table chain.broadcast (
  txid text primary key,
  signed_bytes bytea not null,
  expires_at timestamptz not null,
  state text not null check (state in ('pending', 'included', 'expired')),
  block_number bigint,
  last_sent_at timestamptz,
  sends bigint not null default 0,
  last_answer text,
  constraint included_in_a_block check ((state = 'included') = (block_number is not null))
);
create index broadcast_by_block on chain.broadcast (block_number) where state = 'included';
create index broadcast_pending on chain.broadcast (expires_at) where state = 'pending';

grant usage on schema chain to ergon_app;
grant select, insert, update on chain.cursor, chain.block, chain.broadcast to ergon_app;
grant delete on chain.block to ergon_app;
grant select, insert, delete on chain.watched to ergon_app;
