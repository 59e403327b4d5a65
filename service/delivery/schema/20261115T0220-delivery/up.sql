-- A wish for Energy on an address until a time. Whoever asked is told the outcome once.
create table delivery.request (
  id uuid primary key,
  receiver_address text not null,
  energy bigint not null check (energy > 0),
  -- How long the Energy stays, counted from the block that delegated it.
  duration_seconds bigint not null check (duration_seconds > 0),
  deadline_at timestamptz not null,
  state text not null check (state in ('open', 'delivered', 'failed')),
  reason text,
  trace text not null,
  created_at timestamptz not null
);
create index request_open on delivery.request (deadline_at) where state = 'open';

create table delivery.part (
  id uuid primary key,
  request_id uuid not null references delivery.request (id),
  provider text not null,
  energy bigint not null check (energy > 0),
  -- open: to be placed; trying: an attempt is under way.
  state text not null check (state in ('open', 'trying', 'delivered', 'failed')),
  reason text
);
create index part_by_request on delivery.part (request_id);
create index part_open on delivery.part (id) where state = 'open';

-- Written before anything is sent. Its id is our reference at the provider.
create table delivery.attempt (
  id uuid primary key,
  part_id uuid not null references delivery.part (id),
  provider text not null,
  state text not null check (state in ('sent', 'delivered', 'refused', 'absent')),
  txid text constraint one_attempt_per_transaction unique,
  signing_request uuid,
  owner_address text,
  stake_sun bigint,
  expires_at timestamptz,
  reason text,
  created_at timestamptz not null
);
create unique index one_open_attempt_per_part on delivery.attempt (part_id) where state = 'sent';
create index attempt_open on delivery.attempt (id) where state = 'sent';

-- What the chain says was delegated for us. A delegation belongs to one attempt and no other.
create table delivery.delegation (
  txid text primary key,
  attempt_id uuid not null references delivery.attempt (id),
  owner_address text not null,
  receiver_address text not null,
  stake_sun bigint not null,
  energy bigint not null,
  -- Null while the block that held it is orphaned.
  block_number bigint,
  delegated_at timestamptz not null,
  reclaim_at timestamptz not null,
  reclaim_txid text unique,
  reclaim_expires_at timestamptz,
  reclaim_block bigint,
  reclaimed_at timestamptz,
  -- The request that delivered again what a reorganisation took from a delivered one.
  redelivered_by uuid
);
create index delegation_by_attempt on delivery.delegation (attempt_id);
create index delegation_to_reclaim on delivery.delegation (reclaim_at)
  where reclaimed_at is null and reclaim_txid is null;
create index reclaim_under_way on delivery.delegation (txid)
  where reclaimed_at is null and reclaim_txid is not null;

create index delegation_by_block on delivery.delegation (block_number);
create index delegation_by_reclaim_block on delivery.delegation (reclaim_block);
create index delegation_orphaned on delivery.delegation (txid)
  where block_number is null and redelivered_by is null;

grant usage on schema delivery to ergon_app;
grant select, insert, update on delivery.request, delivery.part, delivery.attempt, delivery.delegation to ergon_app;
