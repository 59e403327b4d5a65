-- Holds a price, within the limits of an account. Its quotes are counted under a lock of their own, which
-- nobody else takes. Outcomes: held, blocked, too_many, too_much,
-- too_often.
create or replace function orders.hold_price(
  new_id uuid, account uuid, energy bigint, price bigint, at timestamptz, until timestamptz,
  open_max bigint, energy_max bigint, lapsed_max bigint, out outcome text)
language plpgsql set search_path = '' set lock_timeout = '2s' as $$
declare
  open record;
begin
  perform pg_advisory_xact_lock(hashtextextended(account::text, 8));
  select count(*) filter (where q.expires_at > at) as quotes,
         coalesce(sum(q.resource_amount) filter (where q.expires_at > at), 0) as energy,
         count(*) filter (where q.expires_at <= at) as lapsed
    into open
    from orders.quote q
   where q.account_id = account and q.order_id is null and q.expires_at > at - interval '1 hour';
  outcome := case when ledger.block_reason(account) is not null then 'blocked'
                  when open.quotes >= open_max then 'too_many'
                  when open.energy + energy > energy_max then 'too_much'
                  when open.lapsed >= lapsed_max then 'too_often'
                  else 'held' end;
  if outcome <> 'held' then return; end if;
  insert into orders.quote (id, account_id, resource_amount, price_sun, created_at, expires_at)
  values (new_id, account, energy, price, at, until);
end $$;
