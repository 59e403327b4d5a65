create table deposits.deposit (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  txid text not null,
  position bigint not null,
  address text not null,
  amount_sun bigint not null check (amount_sun > 0),
  status text not null check (status in ('pending', 'confirmed', 'reverted')),
  -- The block that holds the transfer; null while that block is orphaned.
  block_number bigint,
  -- Past this block time the transfer can no longer be mined.
  expires_at timestamptz not null,
  -- The ledger has a `deposit` movement for it that was not reversed.
  posted boolean not null default false,
  credited_at timestamptz,
  verified_at timestamptz,
  created_at timestamptz not null,
  constraint one_deposit_per_transfer unique (txid, position),
  constraint confirmed_is_credited check ((status = 'confirmed') = (credited_at is not null)),
  constraint credited_is_posted check (credited_at is null or posted),
  constraint verified_is_credited check (verified_at is null or credited_at is not null)
);
create index deposit_by_account on deposits.deposit (account_id, created_at desc, id desc);
create index deposit_not_final on deposits.deposit (id) where verified_at is null and status <> 'reverted';
create index deposit_by_block on deposits.deposit (block_number) where verified_at is null;

-- A verified deposit is final: nothing takes it back.
create function deposits.check_final() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.verified_at is not null and (new.status, new.credited_at, new.verified_at)
     is distinct from (old.status, old.credited_at, old.verified_at) then
    raise exception 'deposit % is final', old.id using constraint = 'verified_deposit_is_final';
  end if;
  return new;
end $$;
create trigger verified_deposit_is_final before update on deposits.deposit
  for each row execute function deposits.check_final();

grant usage on schema deposits to ergon_app;
grant select, insert, update on deposits.deposit to ergon_app;
