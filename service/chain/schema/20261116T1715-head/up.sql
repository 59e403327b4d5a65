-- The newest head that a scanner saw at a node. Processes that do not scan learn from it, and from its
-- age, how far the cursor is behind. Both moments are by the database's clock.
create table chain.head (
  only_row boolean primary key default true check (only_row),
  number bigint not null,
  block_time timestamptz not null,
  -- When this head was first seen: block time runs on from there.
  first_seen_at timestamptz not null,
  -- When a node was last asked for its head and answered.
  seen_at timestamptz not null
);
grant select, insert, update on chain.head to ergon_app;
