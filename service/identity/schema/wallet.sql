-- The wallet linked to an account now, or empty: the buyer of its orders.
create or replace function identity.wallet_of(account uuid) returns text
language sql stable as $$
  select coalesce((select a.wallet_address from identity.account a where a.id = account), '')
$$;
