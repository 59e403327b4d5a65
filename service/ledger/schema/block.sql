-- Blocks of clients. The functions that lock an account for a purchase give -1 as spendable for a blocked one.

-- Waits for the purchases under way. False: there is no such account. A second block changes the reason alone.
create or replace function ledger.block_account(who uuid, reason text, at timestamptz) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  update ledger.account a set blocked_at = coalesce(a.blocked_at, at), block_reason = reason where a.id = who;
  return found;
end $$;

create or replace function ledger.unblock_account(who uuid) returns boolean
language plpgsql security definer set search_path = '' as $$
begin
  update ledger.account a set blocked_at = null, block_reason = null where a.id = who and a.blocked_at is not null;
  return found;
end $$;

-- Null: not blocked.
create or replace function ledger.block_reason(who uuid) returns text
language sql stable security definer set search_path = '' as $$
  select a.block_reason from ledger.account a where a.id = who
$$;

create or replace function ledger.blocked_since(who uuid) returns timestamptz
language sql stable security definer set search_path = '' as $$
  select a.blocked_at from ledger.account a where a.id = who
$$;

create or replace function ledger.blocked_accounts() returns table (account uuid)
language sql stable security definer set search_path = '' rows 5 as $$
  select a.id from ledger.account a where a.blocked_at is not null
$$;

revoke execute on function ledger.block_account(uuid, text, timestamptz), ledger.unblock_account(uuid),
  ledger.block_reason(uuid), ledger.blocked_since(uuid), ledger.blocked_accounts() from public;
grant execute on function ledger.block_account(uuid, text, timestamptz), ledger.unblock_account(uuid),
  ledger.block_reason(uuid), ledger.blocked_since(uuid), ledger.blocked_accounts() to ergon_app;
