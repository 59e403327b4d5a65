-- Doors of the ledger. They run as the owner; the service itself may not write these tables.
-- Lock order: ledger accounts come last, in order of their ids, and nothing is locked after them.

create or replace function ledger.open_account(who uuid) returns void
language sql security definer set search_path = '' as $$
  insert into ledger.account (id) values (who)
$$;

-- What each account may spend, with the accounts locked until the transaction ends.
create or replace function ledger.lock_accounts(who uuid[])
returns table (id uuid, spendable_sun bigint)
language sql security definer set search_path = '' rows 100 as $$
  select a.id, case when a.overdrawn then 0 else a.balance_sun - a.reserved_sun - a.withheld_sun end
    from ledger.account a
   where a.id = any (who)
   order by a.id
     for update
$$;

-- One movement's events. `balance.changed` for each, then `balance.credited` for a credit, or
-- `balance.low` when a debit crosses the threshold.
create or replace function ledger.movement_data(
  id uuid, kind text, amount bigint, balance_after bigint, reference text, threshold bigint)
returns json language sql immutable set search_path = '' as $$
  select case when threshold is null
    then json_build_object('entry_id', id, 'entry_type', kind, 'amount_sun', amount,
                           'balance_sun', balance_after, 'reference_id', reference)
    else json_build_object('entry_id', id, 'entry_type', kind, 'amount_sun', amount,
                           'balance_sun', balance_after, 'reference_id', reference, 'threshold_sun', threshold)
  end
$$;

-- Posts movements of clients against accounts of our own, in the order given; all or none. Amounts
-- are signed as the client sees them: a debit is negative. Only a reversal may overdraw.
create or replace function ledger.post_many(
  ids uuid[], clients uuid[], kinds text[], reference_ids text[], amounts bigint[], counters text[],
  descriptions text[], times timestamptz[], traces text[], event_ids uuid[], second_event_ids uuid[])
returns table (place bigint, balance_after_sun bigint)
language plpgsql security definer set search_path = '' rows 100 as $$
#variable_conflict use_column
declare
  balances bigint[];
  thresholds bigint[];
  short uuid;
begin
  perform from ledger.account a where a.id = any (clients) order by a.id for update;

  with given as (
    select g.*, a.version + row_number() over w as version, a.low_threshold_sun as threshold,
           (a.balance_sun + sum(g.amount) over w)::bigint as balance_after
      from unnest(ids, clients, kinds, reference_ids, amounts, counters, descriptions, times)
           with ordinality as g(id, client_id, kind, reference_id, amount, counter, description, created_at, place)
      join ledger.account a on a.id = g.client_id
    window w as (partition by g.client_id order by g.place)
  ), written as (
    insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun,
                                 debit, credit, amount_sun, description, created_at)
    select kind, reference_id, id, client_id, version, balance_after,
           case when amount < 0 then 'client' else counter end,
           case when amount < 0 then counter else 'client' end,
           abs(amount), description, created_at
      from given
  ), moved as (
    update ledger.account a
       set balance_sun = a.balance_sun + t.total, version = a.version + t.movements,
           overdrawn = a.balance_sun + t.total < 0 and (a.overdrawn or t.reverses)
      from (select client_id, sum(amount)::bigint as total, count(*) as movements,
                   bool_or(kind like '%reversal') as reverses
              from given group by client_id) t
     where a.id = t.client_id
  )
  select array_agg(balance_after order by place),
         array_agg(case when balance_after < threshold and balance_after - amount >= threshold then threshold end order by place)
    into balances, thresholds
    from given;

  if cardinality(balances) is distinct from cardinality(ids) then
    raise exception 'a movement names an account that the ledger does not have';
  end if;

  -- The caller has checked what can be spent; this is the wall behind that check.
  select a.id into short
    from ledger.account a
    join unnest(clients, kinds, amounts) as g(client_id, kind, amount) on g.client_id = a.id
   where g.amount < 0 and g.kind not like '%reversal'
     and a.balance_sun < a.reserved_sun + a.withheld_sun
   limit 1;
  if short is not null then
    raise exception 'account % would spend more than it has', short using constraint = 'spending_within_balance';
  end if;

  perform events.emit_many(
            array_agg(e.id), array_agg(e.client_id), array_agg(e.type), array_agg(e.subject),
            array_agg(e.created_at), array_agg(e.trace), array_agg(e.data))
     from (
       select g.event_id as id, g.client_id, 'balance.changed' as type, g.id::text as subject, g.created_at, g.trace,
              ledger.movement_data(g.id, g.kind, g.amount, g.balance_after, g.reference_id, g.threshold) as data
         from unnest(ids, clients, kinds, reference_ids, amounts, times, traces, event_ids, balances, thresholds)
              as g(id, client_id, kind, reference_id, amount, created_at, trace, event_id, balance_after, threshold)
       union all
       select g.event_id, g.client_id, case when g.amount > 0 then 'balance.credited' else 'balance.low' end,
              g.id::text, g.created_at, g.trace,
              ledger.movement_data(g.id, g.kind, g.amount, g.balance_after, g.reference_id, g.threshold)
         from unnest(ids, clients, kinds, reference_ids, amounts, times, traces, second_event_ids, balances, thresholds)
              as g(id, client_id, kind, reference_id, amount, created_at, trace, event_id, balance_after, threshold)
        where g.amount > 0 or g.threshold is not null
     ) e;

  return query select b.place, b.balance from unnest(balances) with ordinality as b(balance, place);
end $$;

-- A movement between accounts of our own, such as escrow to income when an order is delivered.
create or replace function ledger.transfer(
  movement_id uuid, what text, reference text, from_account text, to_account text, amount bigint,
  words text, at timestamptz)
returns void
language sql security definer set search_path = '' as $$
  insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
  values (what, reference, movement_id, from_account, to_account, amount, words, at)
$$;

-- Gives a charge back by copying its row: the same amount, to the same account, from where it went.
create or replace function ledger.refund(
  movement_id uuid, charge_kind text, reference text, words text, at timestamptz, trace text,
  event_id uuid, second_event_id uuid)
returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  charge ledger.movement;
  balance bigint;
begin
  select * into strict charge from ledger.movement m where m.kind = charge_kind and m.reference_id = reference;
  select p.balance_after_sun into strict balance
    from ledger.post_many(array[movement_id], array[charge.client_id], array['refund'], array[reference],
           array[charge.amount_sun], array[charge.credit], array[words], array[at], array[trace],
           array[event_id], array[second_event_id]) p;
  return balance;
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
