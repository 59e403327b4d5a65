-- Purchases of one account in one transaction: all are made, or none. One purchase that redeems a quote is
-- made by it too. Parameters and outcomes are those of orders.buy_many, and
--   no_quote     the quote is not the account's, not of this amount, too late, or redeemed
-- `accepted` means written only where all are. A key that comes twice is in_flight at its second place.
create or replace function orders.buy_all(
  quotes uuid[], ids uuid[], accounts uuid[], keys text[], refused boolean[], amounts bigint[], receivers text[],
  buyers text[], prices bigint[], prices_trx text[], sources text[], times timestamptz[], traces text[],
  descriptions text[], movement_ids uuid[], event_ids uuid[], second_event_ids uuid[])
returns table (place bigint, outcome text, response text, balance bigint)
language plpgsql set search_path = '' set enable_seqscan = off set lock_timeout = '2s' rows 100 as $$
#variable_conflict use_column
declare
  held boolean[];
  spendable bigint;
  responses text[];
  outcomes text[];
  balances bigint[];
begin
  -- A key is tried, never waited for: a twin is answered at once.
  held := array(
    select g.key is null or (g.nth = 1 and pg_try_advisory_xact_lock(orders.key_lock(g.account, g.key)))
      from (select k.*, row_number() over (partition by k.key order by k.place) as nth
              from unnest(accounts, keys) with ordinality as k(account, key, place)) g
     order by g.place);
  if true = all (held) then
    perform from orders.quote q where q.id = any (quotes) order by q.id for update;
    spendable := ledger.lock_account(accounts[1]);
  end if;

  responses := array(
    select (select case when k.created_at > g.at - interval '24 hours' then k.response else '' end
              from orders.idempotency_key k where k.account_id = g.account and k.key = g.key and g.held)
      from unnest(accounts, keys, times, held) as g(account, key, at, held));
  outcomes := array(
    select case when not g.held then 'in_flight'
                when g.response <> '' then 'replayed'
                when g.refused then 'refused'
                when g.quote is not null and (g.nth > 1 or not exists (
                  select from orders.quote q
                   where q.id = g.quote and q.account_id = g.account and q.resource_amount = g.amount
                     and q.price_sun = g.price and q.order_id is null and q.expires_at > g.at)) then 'no_quote'
                when not (select s.enabled from orders.selling s where s.only_row) then 'selling_off'
                else 'accepted' end
      from (select r.*, row_number() over (partition by r.quote order by r.place) as nth
              from unnest(quotes, accounts, amounts, prices, times, refused, held, responses) with ordinality
                   as r(quote, account, amount, price, at, refused, held, response, place)) g
     order by g.place);
  if (select sum(g.price) from unnest(prices, outcomes) as g(price, outcome) where g.outcome = 'accepted') > spendable then
    select * into outcomes, balances
      from orders.refuse_what_is_short(accounts, prices, outcomes, accounts[1:1], array[spendable]);
  end if;

  if 'accepted' = all (outcomes) then
    delete from orders.idempotency_key k
     using unnest(accounts, keys, responses) as g(account, key, response)
     where g.response = '' and k.account_id = g.account and k.key = g.key;
    responses := orders.write_purchases(
      ids, accounts, keys, amounts, receivers, buyers, prices, prices_trx, sources, times, traces,
      descriptions, movement_ids, event_ids, second_event_ids);
    update orders.quote q set order_id = g.id from unnest(quotes, ids) as g(quote, id) where q.id = g.quote;
  end if;
  return query
    select o.place, o.outcome,
           case when o.outcome = 'blocked' then ledger.block_reason(accounts[1]) else o.response end, o.balance
      from unnest(outcomes, responses, balances) with ordinality as o(outcome, response, balance, place);
end $$;
