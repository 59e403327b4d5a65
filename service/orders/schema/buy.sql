-- A purchase gets one outcome:
--   in_flight    another transaction, here or on another node, is buying with the same key
--   replayed     the key was accepted within 24 hours; `response` is the first answer
--   refused      it came with a refusal that needed no database
--   selling_off  the kill switch is off
--   blocked      an operator has blocked the client; `response` says why, in words for the client
--   insufficient the spendable balance is short; `balance` says what it is
--   locked       another transaction holds the account, and wait_ms is 0; nothing is written
--   accepted     order, movement, events and key are written; `response` is the answer
-- Separate statements, because one statement's snapshot would be older than the locks it takes. Arrays
-- are read by unnest alone where their order matters: it gives their elements in their order.
--
-- Plans are cached: planning for the length of each array took twice as long as the purchases. They
-- are made while tables may still be empty, so a sequential scan must not look cheap: hence the two
-- settings on the entry functions, look-ups as sub-selects, and no joins with growing tables.
--
-- With wait_ms = 0 no account is waited for: those that are free are bought for, at once. Otherwise a
-- lock that is not had within wait_ms is an error. For any other locked row it waits
-- no longer than lock_timeout on the entry functions, because all purchases of a process wait with a group.

-- The release before this one does not say how long to wait.
drop function if exists orders.buy_many(
  uuid[], uuid[], text[], boolean[], bigint[], text[], text[], bigint[], text[], text[], timestamptz[], text[], text[],
  uuid[], uuid[], uuid[]);
drop function if exists orders.buy_one(
  uuid, uuid, text, boolean, bigint, text, text, bigint, text, text, timestamptz, text, text, uuid, uuid, uuid);

-- A group of purchases in one transaction.
create or replace function orders.buy_many(
  ids uuid[], accounts uuid[], keys text[], refused boolean[], amounts bigint[], receivers text[],
  buyers text[], prices bigint[], prices_trx text[], sources text[], times timestamptz[], traces text[],
  descriptions text[], movement_ids uuid[], event_ids uuid[], second_event_ids uuid[], wait_ms int default 2000)
returns table (place bigint, outcome text, response text, balance bigint)
language plpgsql set search_path = '' set enable_seqscan = off set plan_cache_mode = force_generic_plan
set lock_timeout = '250ms' rows 100 as $$
#variable_conflict use_column
declare
  held boolean[];
  wanted uuid[];
  free boolean[];
  holders uuid[];
  spendable bigint[];
  responses text[];
  outcomes text[];
  balances bigint[];
  least_spendable bigint;
begin
  -- (a) A key whose lock is held is answered 409 at once, without waiting. The lock belongs to the
  -- transaction and leaves nothing behind after a crash.
  held := array(
    select g.key is null or pg_try_advisory_xact_lock(orders.key_lock(g.account, g.key))
      from unnest(accounts, keys) as g(account, key));

  -- (b) Accounts are locked in the order of their ids, by the ledger's function. Accounts of in_flight
  -- rows are not: another node holds them, and a 409 must not wait.
  wanted := case when true = all (held) then accounts
                 else array(select g.account from unnest(accounts, held) as g(account, held) where g.held) end;
  if wait_ms > 0 then
    perform set_config('lock_timeout', wait_ms::text, true);
    select array_agg(a.id), array_agg(a.spendable_sun), min(a.spendable_sun)
      into holders, spendable, least_spendable from ledger.lock_accounts(wanted) a;
  else
    select array_agg(a.id), array_agg(a.spendable_sun), min(a.spendable_sun)
      into holders, spendable, least_spendable from ledger.try_lock_accounts(wanted) a;
    if (select count(distinct w.account) from unnest(wanted) as w(account)) > coalesce(cardinality(holders), 0) then
      free := array(select coalesce(g.account = any (holders), false) from unnest(accounts) as g(account));
    end if;
  end if;

  -- (c), (d), (e). An empty response is that of a key older than 24 hours, which is free again.
  responses := array(
    select (select case when k.created_at > g.at - interval '24 hours' then k.response else '' end
              from orders.idempotency_key k where k.account_id = g.account and k.key = g.key and g.held)
      from unnest(accounts, keys, times, held) as g(account, key, at, held));
  outcomes := array(
    select case when not g.held then 'in_flight'
                when g.response <> '' then 'replayed'
                when g.refused then 'refused'
                when not (select s.enabled from orders.selling s where s.only_row) then 'selling_off'
                when not g.free then 'locked'
                else 'accepted' end
      from unnest(held, responses, refused, free) as g(held, response, refused, free));

  -- (f) An account that could pay for the whole group can pay for its own part. Sums by account are
  -- computed only when some account could not.
  if (select sum(p.price) from unnest(prices) as p(price)) > least_spendable then
    select * into outcomes, balances from orders.refuse_what_is_short(accounts, prices, outcomes, holders, spendable);
  end if;

  -- (g)
  if '' = any (responses) then
    delete from orders.idempotency_key k
     using unnest(accounts, keys, responses, outcomes) as g(account, key, response, outcome)
     where g.response = '' and g.outcome = 'accepted' and k.account_id = g.account and k.key = g.key;
    responses := array_replace(responses, '', null);
  end if;
  if 'accepted' = all (outcomes) then
    responses := orders.write_purchases(
      ids, accounts, keys, amounts, receivers, buyers, prices, prices_trx, sources, times, traces,
      descriptions, movement_ids, event_ids, second_event_ids);
  elsif 'accepted' = any (outcomes) then
    responses := orders.put_in_place(responses, outcomes, (
      select orders.write_purchases(
               array_agg(g.id), array_agg(g.account), array_agg(g.key), array_agg(g.amount), array_agg(g.receiver),
               array_agg(g.buyer), array_agg(g.price), array_agg(g.price_trx), array_agg(g.source), array_agg(g.at),
               array_agg(g.trace), array_agg(g.description), array_agg(g.movement_id), array_agg(g.event_id),
               array_agg(g.second_event_id))
        from (select *
                from unnest(ids, accounts, keys, amounts, receivers, buyers, prices, prices_trx, sources, times, traces,
                            descriptions, movement_ids, event_ids, second_event_ids, outcomes) with ordinality
                     as r(id, account, key, amount, receiver, buyer, price, price_trx, source, at, trace,
                          description, movement_id, event_id, second_event_id, outcome, place)
               where r.outcome = 'accepted'
               order by r.place) g));
  end if;

  return query
    select o.place, o.outcome,
           case when o.outcome = 'blocked' then ledger.block_reason(accounts[o.place]) else o.response end, o.balance
      from unnest(outcomes, responses, balances) with ordinality as o(outcome, response, balance, place);
end $$;

-- Without its own search_path, so that PostgreSQL inlines it.
create or replace function orders.key_lock(account uuid, key text) returns bigint
language sql immutable as $$ select hashtextextended(account::text || key, 7) $$;

-- Accounts whose sum fits the balance pass; the others are checked row by row, so that the first
-- purchases that fit are made.
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
      from (select w.account, sum(w.price) as price from unnest(accounts, prices, outcomes) as w(account, price, outcome)
             where w.outcome = 'accepted' group by w.account) wanted
      join unnest(holders, spendable) as s(account, spendable) on s.account = wanted.account
     where wanted.price > s.spendable
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
        outcomes_after[r.place] := case when short.spendable < 0 then 'blocked' else 'insufficient' end;
        balances[r.place] := rest;
      end if;
    end loop;
  end loop;
end $$;

-- Order, movement with its events, and key of purchases that are all accepted, in set-based
-- statements. Returns the answers.
create or replace function orders.write_purchases(
  ids uuid[], accounts uuid[], keys text[], amounts bigint[], receivers text[], buyers text[], prices bigint[],
  prices_trx text[], sources text[], times timestamptz[], traces text[], descriptions text[],
  movement_ids uuid[], event_ids uuid[], second_event_ids uuid[])
returns text[]
language plpgsql set search_path = '' as $$
declare
  size constant int[] := array[cardinality(ids)];
  balances bigint[];
  answers text[];
begin
  balances := ledger.post_locked(
    movement_ids, accounts, array_fill('purchase'::text, size), ids::text[],
    array(select -p.price from unnest(prices) as p(price)),
    array_fill('escrow:orders'::text, size), descriptions, times, traces, event_ids, second_event_ids);

  insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address, buyer_address,
                                     price_sun, source, trace, created_at, updated_at)
  select g.id, g.account,
         (select coalesce(max(o.number), 0) from orders.purchase_order o where o.account_id = g.account)
         + row_number() over (partition by g.account order by g.place),
         'PENDING', g.amount, g.receiver, coalesce(g.buyer, identity.wallet_of(g.account)), g.price, g.source, g.trace, g.at, g.at
    from unnest(ids, accounts, amounts, receivers, buyers, prices, sources, traces, times)
         with ordinality as g(id, account, amount, receiver, buyer, price, source, trace, at, place);

  answers := array(
    select orders.answer_of(g.id, g.price, g.price_trx, g.balance)
      from unnest(ids, prices, prices_trx, balances) as g(id, price, price_trx, balance));
  insert into orders.idempotency_key (account_id, key, order_id, response, created_at)
  select g.account, g.key, g.id, g.answer, g.at
    from unnest(accounts, keys, ids, answers, times) as g(account, key, id, answer, at)
   where g.key is not null;
  return answers;
end $$;

-- Fields in the order of the contract; a replay sends this text again. Inlined, as key_lock is.
create or replace function orders.answer_of(id uuid, price bigint, price_trx text, balance bigint) returns text
language sql stable as $$
  select '{"order_id":"' || id || '","status":"PENDING","total_price_sun":' || price || ',"total_price_trx":"' || price_trx
         || '","balance_after_sun":' || balance || '}'
$$;

create or replace function orders.put_in_place(responses text[], outcomes text[], answers text[]) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  next int := 0;
begin
  for place in 1 .. cardinality(outcomes) loop
    if outcomes[place] = 'accepted' then
      next := next + 1;
      responses[place] := answers[next];
    end if;
  end loop;
  return responses;
end $$;

-- Makes one purchase: the same outcomes, rows and bytes as a group of one, at half its cost.
create or replace function orders.buy_one(
  id uuid, account uuid, key text, refused boolean, amount bigint, receiver text,
  buyer text, price bigint, price_trx text, source text, at timestamptz, trace text,
  description text, movement_id uuid, event_id uuid, second_event_id uuid, wait_ms int default 2000,
  out outcome text, out response text, out balance bigint)
language plpgsql set search_path = '' set enable_seqscan = off set plan_cache_mode = force_generic_plan
set lock_timeout = '250ms' as $$
#variable_conflict use_column
declare
  spendable bigint;
  after bigint;
begin
  if key is not null and not pg_try_advisory_xact_lock(orders.key_lock(account, key)) then
    outcome := 'in_flight';
    return;
  end if;
  if wait_ms > 0 then
    perform set_config('lock_timeout', wait_ms::text, true);
    spendable := ledger.lock_account(account);
  else
    spendable := ledger.try_lock_account(account);
  end if;
  -- A repetition after the answer of its group was lost: if the purchase was made, return it instead of
  -- refusing it for its own cost. With a key the replay does this.
  if key is null then
    response := orders.answer_of(id, price, price_trx, ledger.balance_after('purchase', id::text));
    if response is not null then
      outcome := 'accepted';
      return;
    end if;
  end if;
  select k.response into response from orders.idempotency_key k
   where k.account_id = buy_one.account and k.key = buy_one.key and k.created_at > at - interval '24 hours';
  outcome := case when response is not null then 'replayed'
                  when refused then 'refused'
                  when not (select s.enabled from orders.selling s where s.only_row) then 'selling_off'
                  when spendable is null and wait_ms = 0 then 'locked'
                  when spendable < 0 then 'blocked'
                  when price > spendable then 'insufficient'
                  else 'accepted' end;
  if outcome = 'insufficient' then balance := spendable; end if;
  if outcome = 'blocked' then response := ledger.block_reason(account); end if;
  if outcome <> 'accepted' then return; end if;

  after := ledger.post_one(movement_id, account, 'purchase', id::text, -price, 'escrow:orders',
                           description, at, trace, event_id, second_event_id);
  insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address, buyer_address,
                                     price_sun, source, trace, created_at, updated_at)
  values (id, account,
          (select coalesce(max(o.number), 0) + 1 from orders.purchase_order o where o.account_id = account),
          'PENDING', amount, receiver, coalesce(buyer, identity.wallet_of(account)), price, source, trace, at, at);
  response := orders.answer_of(id, price, price_trx, after);
  if key is not null then
    insert into orders.idempotency_key (account_id, key, order_id, response, created_at)
    values (account, key, id, response, at)
    on conflict (account_id, key) do update
      set order_id = excluded.order_id, response = excluded.response, created_at = excluded.created_at;
  end if;
end $$;
