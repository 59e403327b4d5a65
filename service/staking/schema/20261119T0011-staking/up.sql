-- What is done with our stakes, from asking for it to the block that has it.
create table staking.operation (
  id uuid primary key,
  stake text not null check (stake ~ '^T[1-9A-HJ-NP-Za-km-z]{33}$'),
  action text not null check (action in ('freeze', 'unfreeze', 'withdraw', 'cancel_unfreeze', 'vote', 'claim')),
  amount_sun bigint check (amount_sun > 0),
  resource text check (resource in ('ENERGY', 'BANDWIDTH')),
  -- Witness=count.
  votes text[] not null default '{}',
  reason text not null check (length(reason) between 3 and 500),
  requested_by text not null,
  requested_at timestamptz not null,
  -- Of a withdrawal: the last unfreezing that had passed when it was asked for.
  covers_until timestamptz,
  approved_at timestamptz,
  cancelled_by text,
  cancelled_at timestamptz,
  state text not null check (
    state in ('requested', 'approved', 'expired', 'cancelling', 'cancelled', 'refused', 'failed', 'done')),
  attempt bigint not null default 1 check (attempt > 0),
  -- The transaction under way, or the one that ended it. A dead one is replaced.
  txid text constraint one_operation_per_transaction unique,
  signing_request uuid,
  try_after timestamptz,
  not_before timestamptz,
  trouble text,
  -- By the receipt of the solid block.
  block_number bigint,
  -- What was claimed, withdrawn, or became stake again.
  moved_sun bigint check (moved_sun >= 0),
  fee_sun bigint check (fee_sun >= 0),
  ended_at timestamptz,
  constraint amount_of_a_freeze check (
    (amount_sun is not null) = (action in ('freeze', 'unfreeze')) and (amount_sun is null) = (resource is null)),
  constraint votes_of_a_vote check ((cardinality(votes) > 0) = (action = 'vote')),
  constraint asked_after_approval check (state <> 'requested' or txid is null),
  constraint cancelled_has_a_name check (
    (cancelled_by is null) = (cancelled_at is null)
    and (state not in ('cancelling', 'cancelled') or cancelled_by is not null)),
  constraint ended_has_no_bytes check (state not in ('expired', 'cancelled', 'refused') or txid is null),
  constraint done_by_a_transaction check (
    (fee_sun is not null) = (state = 'done' or state = 'failed' and txid is not null) and (state <> 'done' or txid is not null)),
  constraint ends_at_a_time check (
    (ended_at is not null) = (state in ('cancelled', 'refused', 'failed', 'done')))
);
-- A second one would be judged by numbers that the first is about to change.
create unique index one_open_operation on staking.operation (stake, action)
  where state in ('requested', 'approved', 'expired', 'cancelling');
create index operation_under_way on staking.operation (id) where state in ('approved', 'cancelling');
create index operation_by_action on staking.operation (stake, action, id);

-- What was asked for stays what it was, and an end is an end: what is done is never approved again.
create function staking.keep_operation() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'operation % cannot become that', old.id using errcode = 'check_violation';
end $$;
create trigger keep_operation before update on staking.operation for each row
  when (old.state in ('cancelled', 'refused', 'failed', 'done')
        or (old.id, old.stake, old.action, old.amount_sun, old.resource, old.votes, old.requested_by)
           is distinct from (new.id, new.stake, new.action, new.amount_sun, new.resource, new.votes, new.requested_by)
        or new.attempt < old.attempt)
  execute function staking.keep_operation();

-- How a stake votes with all of its power, whatever that is.
create table staking.standing_vote (
  stake text primary key check (stake ~ '^T[1-9A-HJ-NP-Za-km-z]{33}$'),
  -- Witness=share.
  shares text[] not null check (cardinality(shares) between 1 and 30),
  set_by text not null,
  set_at timestamptz not null
);

grant usage on schema staking to ergon_app;
grant select, insert, update on staking.operation to ergon_app;
grant select, insert, update, delete on staking.standing_vote to ergon_app;
