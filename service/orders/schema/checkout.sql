-- Opens a checkout: an order without a purchase. Order numbers are assigned under the account's
-- ledger lock, as in a purchase, which is waited for as long. Outcomes: opened, selling_off,
-- blocked, too_many.
create or replace function orders.open_checkout(
  new_id uuid, account uuid, energy bigint, receiver text, buyer text, price bigint, request_trace text,
  at timestamptz, until timestamptz, first_extra bigint, open_max bigint,
  out outcome text, out amount bigint)
language plpgsql set search_path = '' set lock_timeout = '2s' as $$
begin
  perform from ledger.lock_accounts(array[account]);
  if not (select s.enabled from orders.selling s) then
    outcome := 'selling_off';
    return;
  end if;
  if ledger.block_reason(account) is not null then
    outcome := 'blocked';
    return;
  end if;
  if (select count(*) from orders.checkout c where c.account_id = account and c.open) >= open_max then
    outcome := 'too_many';
    return;
  end if;

  -- The first free of 999 amounts, from a random start: a late transfer for one checkout should not
  -- pay the next one.
  select price + e.extra into strict amount
    from (select i, 1 + (first_extra + i) % 999 as extra from generate_series(0, 998) i) e
   where not exists (select from orders.checkout c
                      where c.account_id = account and c.open and c.amount_sun = price + e.extra)
   order by e.i limit 1;

  insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address, buyer_address,
                                     price_sun, source, trace, created_at, updated_at)
  select new_id, account, coalesce(max(o.number), 0) + 1, 'AWAITING_PAYMENT', energy, receiver,
         coalesce(buyer, identity.wallet_of(account)), price, 'checkout', request_trace, at, at
    from orders.purchase_order o where o.account_id = account;
  insert into orders.checkout (order_id, account_id, amount_sun, expires_at) values (new_id, account, amount, until);
  outcome := 'opened';
end $$;

-- Makes the purchases of paid checkouts, in the transaction that credited their deposits. Orders and
-- ledger accounts are locked already. A deposit that cannot be spent stays a deposit, as
-- that of a blocked client does.
create or replace function orders.pay_checkouts(
  order_ids uuid[], descriptions text[], at timestamptz, movement_ids uuid[], event_ids uuid[], second_event_ids uuid[])
returns table (order_id uuid)
language plpgsql set search_path = '' rows 10 as $$
#variable_conflict use_column
declare
  wanted record;
begin
  if not (select s.enabled from orders.selling s) then return; end if;
  for wanted in
    select o.id, o.account_id, o.price_sun, o.trace, g.description, g.movement_id, g.event_id, g.second_event_id
      from unnest(order_ids, descriptions, movement_ids, event_ids, second_event_ids)
           with ordinality as g(id, description, movement_id, event_id, second_event_id, place)
      join orders.purchase_order o on o.id = g.id
     order by g.place
  loop
    if (select a.spendable_sun from ledger.lock_accounts(array[wanted.account_id]) a) < wanted.price_sun then
      continue;
    end if;
    perform from ledger.post_many(
      array[wanted.movement_id], array[wanted.account_id], array['purchase'], array[wanted.id::text],
      array[-wanted.price_sun], array['escrow:orders'], array[wanted.description], array[at], array[wanted.trace],
      array[wanted.event_id], array[wanted.second_event_id]);
    update orders.purchase_order o set status = 'PENDING', updated_at = at where o.id = wanted.id;
    update orders.checkout c set open = false, paid_at = at where c.order_id = wanted.id;
    order_id := wanted.id;
    return next;
  end loop;
end $$;
