-- Functions for other rooms. They run as the owner; the service itself may not write these tables.
-- Lock order: ledger accounts come last, in order of their ids, and nothing is locked after them.

create or replace function ledger.open_account(who uuid) returns void
language sql security definer set search_path = '' as $$
  insert into ledger.account (id) values (who)
$$;

-- What each account may spend, with the accounts locked until the transaction ends; -1: the client is blocked.
create or replace function ledger.lock_accounts(who uuid[])
returns table (id uuid, spendable_sun bigint)
language plpgsql security definer set search_path = '' rows 100 as $$
#variable_conflict use_column
begin
  return query
    select a.id, case when a.blocked_at is not null then -1 when a.overdrawn then 0
                else greatest(a.balance_sun - a.reserved_sun - a.withheld_sun, 0) end
      from ledger.account a
     where a.id = any (who)
     order by a.id
       for update;
end $$;

create or replace function ledger.lock_account(who uuid) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  spendable bigint;
begin
  select case when a.blocked_at is not null then -1 when a.overdrawn then 0
                else greatest(a.balance_sun - a.reserved_sun - a.withheld_sun, 0) end into spendable
    from ledger.account a where a.id = who for update;
  return spendable;
end $$;

-- The same of the accounts that nobody else holds, without waiting for the others.
create or replace function ledger.try_lock_accounts(who uuid[])
returns table (id uuid, spendable_sun bigint)
language plpgsql security definer set search_path = '' rows 100 as $$
#variable_conflict use_column
begin
  return query
    select a.id, case when a.blocked_at is not null then -1 when a.overdrawn then 0
                else greatest(a.balance_sun - a.reserved_sun - a.withheld_sun, 0) end
      from ledger.account a
     where a.id = any (who)
     order by a.id
       for update skip locked;
end $$;

-- Null: somebody else holds it.
create or replace function ledger.try_lock_account(who uuid) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  spendable bigint;
begin
  select case when a.blocked_at is not null then -1 when a.overdrawn then 0
                else greatest(a.balance_sun - a.reserved_sun - a.withheld_sun, 0) end into spendable
    from ledger.account a where a.id = who for update skip locked;
  return spendable;
end $$;
revoke execute on function ledger.try_lock_accounts(uuid[]), ledger.try_lock_account(uuid) from public;
grant execute on function ledger.try_lock_accounts(uuid[]), ledger.try_lock_account(uuid) to ergon_app;

-- What a client had after a movement that was posted; null if it was not.
create or replace function ledger.balance_after(what text, reference text) returns bigint
language sql stable security definer set search_path = '' as $$
  select m.balance_after_sun from ledger.movement m where m.kind = what and m.reference_id = reference
$$;

-- The payload of a movement's events. Not declared immutable and without a search_path of its own,
-- because only so it is inlined: as a call of its own it cost more than the row it describes.
create or replace function ledger.movement_data(
  id uuid, kind text, amount bigint, balance_after bigint, reference text, threshold bigint)
returns json language sql stable as $$
  select case when threshold is null
    then pg_catalog.json_build_object('entry_id', id, 'entry_type', kind, 'amount_sun', amount,
           'balance_sun', balance_after, 'reference_id', reference)
    else pg_catalog.json_build_object('entry_id', id, 'entry_type', kind, 'amount_sun', amount,
           'balance_sun', balance_after, 'reference_id', reference, 'threshold_sun', threshold)
  end
$$;

-- Posts movements of clients against accounts of our own, in the order given; all or none. Amounts
-- are signed as the client sees them: a debit is negative. Only kinds that may_overdraw take a balance
-- below zero.
create or replace function ledger.post_many(
  ids uuid[], clients uuid[], kinds text[], reference_ids text[], amounts bigint[], counters text[],
  descriptions text[], times timestamptz[], traces text[], event_ids uuid[], second_event_ids uuid[])
returns table (place bigint, balance_after_sun bigint)
language plpgsql security definer set search_path = '' rows 100 as $$
declare
  balances bigint[];
begin
  perform from ledger.account a where a.id = any (clients) order by a.id for update;
  balances := ledger.post_locked(ids, clients, kinds, reference_ids, amounts, counters, descriptions,
                                 times, traces, event_ids, second_event_ids);
  return query select b.place, b.balance from unnest(balances) with ordinality as b(balance, place);
end $$;

-- The same for a caller that holds the accounts by lock_accounts. Returns the balance after each.
-- Accounts are updated first and the movements follow from what the update returns, so each account
-- is looked up once; the wall behind the caller's own check of what can be spent is in that update.
-- Only what is counted goes from step to step: carrying every column through cost more than the rows.
create or replace function ledger.post_locked(
  ids uuid[], clients uuid[], kinds text[], reference_ids text[], amounts bigint[], counters text[],
  descriptions text[], times timestamptz[], traces text[], event_ids uuid[], second_event_ids uuid[])
returns bigint[]
language plpgsql security definer set search_path = '' as $$
declare
  overdrawing constant text[] := array(select k.name from ledger.kind k where k.may_overdraw);
  balances bigint[];
  payloads json[];
  thresholds bigint[];
  short uuid[];
  has_second boolean;
begin
  perform ledger.refuse_older(ids);
  with totals as (
    select g.client_id, sum(g.amount)::bigint as amount, count(*) as movements,
           bool_or(g.kind = any (overdrawing)) as may_overdraw,
           bool_or(g.amount < 0 and g.kind <> all (overdrawing)) as spends
      from unnest(clients, kinds, amounts) as g(client_id, kind, amount)
     group by g.client_id
  ), moved as (
    update ledger.account a
       set balance_sun = a.balance_sun + t.amount, version = a.version + t.movements,
           overdrawn = a.balance_sun + t.amount < 0 and (a.overdrawn or t.may_overdraw)
      from totals t
     where a.id = t.client_id and a.id = any (clients)
    returning a.id as client_id, a.balance_sun - t.amount as balance, a.version - t.movements as version,
              a.low_threshold_sun as threshold, t.spends and a.balance_sun < a.reserved_sun + a.withheld_sun as is_short
  ), given as (
    select g.place, g.client_id, g.amount, m.version + row_number() over w as version,
           (m.balance + sum(g.amount) over w)::bigint as balance_after, m.threshold, m.is_short
      from unnest(clients, amounts) with ordinality as g(client_id, amount, place)
      join moved m on m.client_id = g.client_id
    window w as (partition by g.client_id order by g.place)
  ), crossed as (
    select g.*, case when g.balance_after < g.threshold and g.balance_after - g.amount >= g.threshold then g.threshold end as tripped
      from given g
  ), written as (
    insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun,
                                 debit, credit, amount_sun, description, created_at)
    select kinds[g.place], reference_ids[g.place], ids[g.place], g.client_id, g.version, g.balance_after,
           case when g.amount < 0 then 'client' else counters[g.place] end,
           case when g.amount < 0 then counters[g.place] else 'client' end,
           abs(g.amount), descriptions[g.place], times[g.place]
      from given g
  )
  select array_agg(c.balance_after order by c.place), array_agg(c.tripped order by c.place),
         array_agg(ledger.movement_data(ids[c.place], kinds[c.place], c.amount, c.balance_after, reference_ids[c.place],
                                        c.tripped) order by c.place),
         -- Short at the end, or below zero on the way: what is spent must be there when it is spent.
         array_agg(c.client_id) filter (
           where c.is_short or c.amount < 0 and c.balance_after < 0 and not ledger.may_overdraw(kinds[c.place])),
         bool_or(c.amount > 0 or c.tripped is not null)
    into balances, thresholds, payloads, short, has_second
    from crossed c;

  if cardinality(balances) is distinct from cardinality(ids) then
    raise exception 'a movement names an account that the ledger does not have';
  end if;
  if short is not null then
    raise exception 'account % would spend more than it has', short[1] using constraint = 'spending_within_balance';
  end if;

  perform events.emit_many(event_ids, clients, array_fill('balance.changed'::text, array[cardinality(ids)]),
                           ids::text[], times, traces, payloads);
  if has_second then
    perform ledger.emit_second(ids, clients, amounts, times, traces, second_event_ids, payloads, thresholds);
  end if;
  return balances;
end $$;

-- Some movements have a second event: `balance.credited` for a credit, `balance.low` for a debit that
-- crosses the threshold.
create or replace function ledger.emit_second(
  ids uuid[], clients uuid[], amounts bigint[], times timestamptz[], traces text[], event_ids uuid[],
  payloads json[], thresholds bigint[])
returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform events.emit_many(
            array_agg(g.event_id), array_agg(g.client_id),
            array_agg(case when g.amount > 0 then 'balance.credited' else 'balance.low' end),
            array_agg(g.id::text), array_agg(g.created_at), array_agg(g.trace), array_agg(g.data))
     from unnest(ids, clients, amounts, times, traces, event_ids, payloads, thresholds)
          as g(id, client_id, amount, created_at, trace, event_id, data, threshold)
    where g.amount > 0 or g.threshold is not null;
end $$;

-- Of a kind that nobody knows, false: the foreign key refuses its movement.
create or replace function ledger.may_overdraw(kind text) returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (select from ledger.kind k where k.name = may_overdraw.kind and k.may_overdraw)
$$;

-- One movement: the same rows and events as post_many of one, without its set-based machinery.
create or replace function ledger.post_one(
  id uuid, client uuid, kind text, reference text, amount bigint, counter text, description text,
  at timestamptz, trace text, event_id uuid, second_event_id uuid)
returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  moved record;
  tripped bigint;
  payload json;
begin
  if id <= (select s.upto from ledger.sums s) then
    perform ledger.refuse_older(array[id]);
  end if;
  update ledger.account a
     set balance_sun = a.balance_sun + amount, version = a.version + 1,
         overdrawn = a.balance_sun + amount < 0 and (a.overdrawn or ledger.may_overdraw(kind))
   where a.id = client
  returning a.balance_sun as balance, a.version, a.low_threshold_sun as threshold, a.reserved_sun + a.withheld_sun as held
    into moved;
  if not found then
    raise exception 'a movement names an account that the ledger does not have';
  end if;
  insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun,
                               debit, credit, amount_sun, description, created_at)
  values (kind, reference, id, client, moved.version, moved.balance,
          case when amount < 0 then 'client' else counter end, case when amount < 0 then counter else 'client' end,
          abs(amount), description, at);
  if amount < 0 and moved.balance < moved.held and not ledger.may_overdraw(kind) then
    raise exception 'account % would spend more than it has', client using constraint = 'spending_within_balance';
  end if;
  if moved.balance < moved.threshold and moved.balance - amount >= moved.threshold then
    tripped := moved.threshold;
  end if;
  payload := ledger.movement_data(id, kind, amount, moved.balance, reference, tripped);
  perform events.emit_one(event_id, client, 'balance.changed', id::text, at, trace, payload);
  if amount > 0 then
    perform events.emit_one(second_event_id, client, 'balance.credited', id::text, at, trace, payload);
  elsif tripped is not null then
    perform events.emit_one(second_event_id, client, 'balance.low', id::text, at, trace, payload);
  end if;
  return moved.balance;
end $$;

-- A movement between accounts of our own, such as escrow to income when an order is delivered.
create or replace function ledger.transfer(
  movement_id uuid, what text, reference text, from_account text, to_account text, amount bigint,
  words text, at timestamptz)
returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform ledger.refuse_older(array[movement_id]);
  insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
  values (what, reference, movement_id, from_account, to_account, amount, words, at);
end $$;

-- Opens the accounts of marketplaces: what each was paid, and what of ours it holds for that.
create or replace function ledger.open_providers(providers text[]) returns void
language sql security definer set search_path = '' as $$
  insert into ledger.own_account (name)
  select prefix || provider from unnest(array['cost:provider:', 'asset:provider_float:']) as prefix, unnest(providers) as provider
      on conflict (name) do nothing
$$;

-- Gives a charge back by copying its row: the same amount, to the same account, from where it went.
create or replace function ledger.refund(
  movement_id uuid, charge_kind text, reference text, words text, at timestamptz, trace text,
  event_id uuid, second_event_id uuid)
returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  charge ledger.movement;
begin
  select * into strict charge from ledger.movement m where m.kind = charge_kind and m.reference_id = reference;
  return ledger.post_one(movement_id, charge.client_id, 'refund', reference, charge.amount_sun, charge.credit,
                         words, at, trace, event_id, second_event_id);
end $$;

-- Takes amounts out of what can be spent, or gives them back, without moving money. The caller's
-- rows say why; an amount here is a sum over them.
create or replace function ledger.withhold_many(clients uuid[], amounts bigint[]) returns void
language plpgsql security definer set search_path = '' as $$
begin
  perform from ledger.account a where a.id = any (clients) order by a.id for update;
  update ledger.account a set withheld_sun = a.withheld_sun + w.amount
    from (select g.client_id, sum(g.amount)::bigint as amount
            from unnest(clients, amounts) as g(client_id, amount) group by g.client_id) w
   where a.id = w.client_id;
end $$;

-- One account, locked, with all that decides what can be taken from it.
create or replace function ledger.lock_balance(who uuid)
returns table (id uuid, balance_sun bigint, reserved_sun bigint, withheld_sun bigint, overdrawn boolean)
language plpgsql security definer set search_path = '' rows 1 as $$
#variable_conflict use_column
begin
  return query
    select a.id, a.balance_sun, a.reserved_sun, a.withheld_sun, a.overdrawn
      from ledger.account a where a.id = who for update;
end $$;

-- Holds part of a balance for one purpose, or lets it go, without moving money. The caller's rows
-- say what for; the amount here is their sum. More can be held only of what can be spent.
create or replace function ledger.reserve(who uuid, amount bigint) returns void
language plpgsql security definer set search_path = '' as $$
declare
  left_over bigint;
begin
  update ledger.account a set reserved_sun = a.reserved_sun + amount where a.id = who
  returning case when a.overdrawn then -1 else a.balance_sun - a.reserved_sun - a.withheld_sun end into left_over;
  if left_over is null then
    raise exception 'a reserve names an account that the ledger does not have';
  end if;
  if amount > 0 and left_over < 0 then
    raise exception 'account % would reserve more than it has', who using constraint = 'spending_within_balance';
  end if;
end $$;

-- Below this balance the client is told once per crossing; null is never.
create or replace function ledger.set_low_threshold(who uuid, threshold bigint) returns void
language sql security definer set search_path = '' as $$
  update ledger.account set low_threshold_sun = threshold where id = who
$$;
