-- A purchase inside the transaction of another room, which has locked its own rows: an agent's sale.
-- It has no key; the locked row ensures that it happens once.
-- Outcomes: sold, selling_off, blocked, insufficient.
create or replace function orders.sell_one(
  id uuid, account uuid, amount bigint, receiver text, buyer text, price bigint, source text, charge text,
  at timestamptz, trace text, description text, movement_id uuid, event_id uuid, second_event_id uuid,
  out outcome text)
language plpgsql set search_path = '' set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  spendable bigint;
begin
  if not (select s.enabled from orders.selling s where s.only_row) then
    outcome := 'selling_off';
    return;
  end if;
  spendable := ledger.lock_account(account);
  if spendable < 0 then
    outcome := 'blocked';
    return;
  end if;
  if price > spendable then
    outcome := 'insufficient';
    return;
  end if;
  perform ledger.post_one(movement_id, account, charge, id::text, -price, 'escrow:orders',
                          description, at, trace, event_id, second_event_id);
  insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address, buyer_address,
                                     price_sun, source, trace, created_at, updated_at)
  values (id, account,
          (select coalesce(max(o.number), 0) + 1 from orders.purchase_order o where o.account_id = account),
          'PENDING', amount, receiver, buyer, price, source, trace, at, at);
  outcome := 'sold';
end $$;
