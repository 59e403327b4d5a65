-- The client's own warning level; null for none.
create or replace function ledger.set_low_threshold(client uuid, threshold bigint) returns void
language sql security definer set search_path = '' as $$
  update ledger.account set low_threshold_sun = threshold where id = client
$$;
