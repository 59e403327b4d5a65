-- A group of purchases in one transaction. Each row gets one outcome:
--   in_flight    the same key is being bought at this moment, here or on another node
--   replayed     the key was accepted within 24 hours; `response` is the first answer
--   refused      the row came with a refusal that needed no database
--   selling_off  the kill switch is off
--   insufficient the spendable balance is short; `balance` says what it is
--   accepted     order, movement, events and key are written; `response` is the answer
-- Separate statements, because one statement's snapshot would be older than the locks it takes.
create or replace function orders.buy_many(
  ids uuid[], accounts uuid[], keys text[], refused boolean[], amounts bigint[], receivers text[],
  buyers text[], prices bigint[], prices_trx text[], sources text[], times timestamptz[], traces text[],
  descriptions text[], movement_ids uuid[], event_ids uuid[], second_event_ids uuid[])
returns table (place bigint, outcome text, response text, balance bigint)
language plpgsql set search_path = '' rows 100 as $$
#variable_conflict use_column
declare
  held boolean[];
  holders uuid[];
  spendable bigint[];
  outcomes text[];
  responses text[];
  balances bigint[];
  open_for_sale boolean;
begin
  -- (a) Nobody waits for a twin: a key whose lock is held is answered 409 at once. The lock is the
  -- transaction's own and leaves nothing behind after a crash.
  select array_agg(k.key is null or pg_try_advisory_xact_lock(hashtextextended(k.account::text || k.key, 7)) order by k.place)
    into held
    from unnest(accounts, keys) with ordinality as k(account, key, place);

  -- (b) Accounts are locked in the order of their ids, by the ledger's own door.
  select array_agg(a.id), array_agg(a.spendable_sun) into holders, spendable from ledger.lock_accounts(accounts) a;
  select s.enabled into open_for_sale from orders.selling s;

  -- (c), (d), (e)
  select array_agg(case when not h.held then 'in_flight'
                        when k.response is not null then 'replayed'
                        when g.refused then 'refused'
                        when not open_for_sale then 'selling_off'
                        else 'accepted' end order by g.place),
         array_agg(k.response order by g.place),
         array_agg(null::bigint)
    into outcomes, responses, balances
    from unnest(accounts, keys, refused, times) with ordinality as g(account, key, refused, at, place)
    join unnest(held) with ordinality as h(held, place) using (place)
    left join orders.idempotency_key k
           on k.account_id = g.account and k.key = g.key and k.created_at > g.at - interval '24 hours';

  -- (f)
  select * into outcomes, balances from orders.refuse_what_is_short(accounts, prices, outcomes, holders, spendable);

  -- (g)
  if 'accepted' = any (outcomes) then
    responses := orders.write_purchases(
      ids, accounts, keys, amounts, receivers, buyers, prices, prices_trx, sources, times, traces,
      descriptions, movement_ids, event_ids, second_event_ids, outcomes, responses);
  end if;

  return query
    select o.place, o.outcome, o.response, o.balance
      from unnest(outcomes, responses, balances) with ordinality as o(outcome, response, balance, place);
end $$;

-- Accounts whose rows together fit the balance need no second look; the others go row by row, so
-- that the first purchases that fit are made.
create or replace function orders.refuse_what_is_short(
  accounts uuid[], prices bigint[], outcomes text[], holders uuid[], spendable bigint[],
  out outcomes_after text[], out balances bigint[])
language plpgsql set search_path = '' as $$
declare
  short record;
  r record;
  rest bigint;
begin
  outcomes_after := outcomes;
  balances := array_fill(null::bigint, array[cardinality(outcomes)]);
  for short in
    select s.account, s.spendable
      from unnest(accounts, prices, outcomes) as g(account, price, outcome)
      join unnest(holders, spendable) as s(account, spendable) on s.account = g.account
     where g.outcome = 'accepted'
     group by s.account, s.spendable
    having sum(g.price) > s.spendable
     order by s.account
  loop
    rest := short.spendable;
    for r in
      select g.place::int as place, g.price
        from unnest(accounts, prices, outcomes) with ordinality as g(account, price, outcome, place)
       where g.account = short.account and g.outcome = 'accepted'
       order by g.place
    loop
      if r.price <= rest then
        rest := rest - r.price;
      else
        outcomes_after[r.place] := 'insufficient';
        balances[r.place] := rest;
      end if;
    end loop;
  end loop;
end $$;

-- Order, movement with its events, and key of every accepted row, in set-based statements.
create or replace function orders.write_purchases(
  ids uuid[], accounts uuid[], keys text[], amounts bigint[], receivers text[], buyers text[], prices bigint[],
  prices_trx text[], sources text[], times timestamptz[], traces text[], descriptions text[],
  movement_ids uuid[], event_ids uuid[], second_event_ids uuid[], outcomes text[], responses text[])
returns text[]
language plpgsql set search_path = '' as $$
declare
  accepted bigint[];
  after bigint[];
  answers text[];
begin
  select array_agg(o.place) into accepted
    from unnest(outcomes) with ordinality as o(outcome, place) where o.outcome = 'accepted';

  select array_agg(p.balance_after_sun order by p.place) into after
    from (select array_agg(g.movement_id order by g.place) as movement_ids, array_agg(g.account order by g.place) as accounts,
                 array_agg(g.id::text order by g.place) as ids, array_agg(-g.price order by g.place) as amounts,
                 array_agg(g.description order by g.place) as descriptions, array_agg(g.at order by g.place) as times,
                 array_agg(g.trace order by g.place) as traces, array_agg(g.event_id order by g.place) as event_ids,
                 array_agg(g.second_event_id order by g.place) as second_event_ids
            from unnest(ids, accounts, prices, times, traces, descriptions, movement_ids, event_ids, second_event_ids)
                 with ordinality as g(id, account, price, at, trace, description, movement_id, event_id, second_event_id, place)
           where g.place = any (accepted)) m,
         lateral ledger.post_many(
           m.movement_ids, m.accounts, array_fill('purchase'::text, array[cardinality(m.ids)]), m.ids, m.amounts,
           array_fill('escrow:orders'::text, array[cardinality(m.ids)]), m.descriptions, m.times, m.traces,
           m.event_ids, m.second_event_ids) p;

  insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address, buyer_address,
                                     price_sun, source, trace, created_at, updated_at)
  select g.id, g.account, last.number + row_number() over (partition by g.account order by g.place), 'PENDING',
         g.amount, g.receiver, g.buyer, g.price, g.source, g.trace, g.at, g.at
    from unnest(ids, accounts, amounts, receivers, buyers, prices, sources, traces, times)
         with ordinality as g(id, account, amount, receiver, buyer, price, source, trace, at, place)
    join (select a.account, (select coalesce(max(o.number), 0) from orders.purchase_order o where o.account_id = a.account) as number
            from (select distinct unnest(accounts) as account) a) last on last.account = g.account
   where g.place = any (accepted);

  -- Fields in the order of the contract; a replay sends this text again.
  select array_agg(coalesce(g.response,
           case when a.balance is not null then
             format('{"order_id":"%s","status":"PENDING","total_price_sun":%s,"total_price_trx":"%s","balance_after_sun":%s}',
                    g.id, g.price, g.price_trx, a.balance) end) order by g.place)
    into answers
    from unnest(ids, prices, prices_trx, responses) with ordinality as g(id, price, price_trx, response, place)
    left join unnest(accepted, after) as a(place, balance) on a.place = g.place;

  insert into orders.idempotency_key as k (account_id, key, order_id, response, created_at)
  select g.account, g.key, g.id, g.answer, g.at
    from unnest(accounts, keys, ids, answers, times) with ordinality as g(account, key, id, answer, at, place)
   where g.key is not null and g.place = any (accepted)
  on conflict (account_id, key) do update
    set order_id = excluded.order_id, response = excluded.response, created_at = excluded.created_at;
  return answers;
end $$;
