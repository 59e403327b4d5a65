-- For the books. Movements of profit and loss are those of the accounts income:* and cost:*; a refund from escrow is
-- none, and is given because it says that an order failed.

-- The last of the next movements after a key, and how many there are, at most so many. Settled: up to the checkpoint
-- of ledger.sums, below which nothing can be booked any more.
create or replace function ledger.slice_after(after uuid, most bigint, is_settled boolean)
returns table (upto uuid, movements bigint)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set plan_cache_mode = force_generic_plan rows 1 as $$
declare
  till constant uuid := case when is_settled then (select s.upto from ledger.sums s)
                             else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end;
begin
  return query
    select (array_agg(m.id order by m.id desc))[1], count(*)
      from (select r.id from ledger.movement r where r.id > after and r.id <= till order by r.id limit most) m;
end $$;

-- Both sides of these movements, signed by what they add to the profit.
create or replace function ledger.profits_between(after uuid, till uuid)
returns table (id uuid, kind text, reference_id text, client_id uuid, account text, counter text, amount_sun bigint,
               created_at timestamptz)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set plan_cache_mode = force_generic_plan rows 1000 as $$
begin
  return query
    select m.id, m.kind, m.reference_id, m.client_id, s.account, s.counter, s.amount, m.created_at
      from ledger.movement m
     cross join lateral (values (m.debit, m.credit, -m.amount_sun), (m.credit, m.debit, m.amount_sun))
           as s(account, counter, amount)
     where m.id > after and m.id <= till
       and (s.account like 'income:%' or s.account like 'cost:%' or m.kind = 'refund' and s.account like 'escrow:%');
end $$;

-- What clients were charged under references, whatever for.
create or replace function ledger.charges_of(refs text[])
returns table (reference_id text, kind text, client_id uuid, created_at timestamptz)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set plan_cache_mode = force_generic_plan rows 100 as $$
begin
  return query
    select m.reference_id, m.kind, m.client_id, m.created_at
      from unnest(refs) as r(name)
     cross join unnest(array['purchase', 'agent_charge', 'autoenergy_activate', 'autoenergy_daily', 'autoenergy_unit']) as k(name)
      join ledger.movement m on m.kind = k.name and m.reference_id = r.name
     where m.debit = 'client';
end $$;

-- Income and costs of a time, straight from the movements up to a key. Ids are made with the time of their movement, so
-- those of an hour around it are looked at, and the others that the caller names.
create or replace function ledger.profit_of(since timestamptz, before timestamptz, till uuid, others uuid[])
returns table (income_sun bigint, costs_sun bigint, movements bigint)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set plan_cache_mode = force_generic_plan rows 1 as $$
declare
  low constant uuid := db.id_at(since - interval '1 hour');
  high constant uuid := db.id_at(before + interval '1 hour');
begin
  return query
    select coalesce(sum(s.amount) filter (where s.account like 'income:%'), 0)::bigint,
           coalesce(-sum(s.amount) filter (where s.account like 'cost:%'), 0)::bigint, count(*)
      from (select r.id, r.debit, r.credit, r.amount_sun, r.created_at
              from ledger.movement r where r.id >= low and r.id < high
             union all
            select r.id, r.debit, r.credit, r.amount_sun, r.created_at
              from ledger.movement r
             where r.id in (select distinct o.id from unnest(others) as o(id) where o.id < low or o.id >= high)) m
     cross join lateral (values (m.debit, -m.amount_sun), (m.credit, m.amount_sun)) as s(account, amount)
     where m.created_at >= since and m.created_at < before and m.id <= till
       and (s.account like 'income:%' or s.account like 'cost:%');
end $$;

revoke execute on function ledger.slice_after(uuid, bigint, boolean), ledger.profits_between(uuid, uuid),
  ledger.charges_of(text[]), ledger.profit_of(timestamptz, timestamptz, uuid, uuid[]) from public;
grant execute on function ledger.slice_after(uuid, bigint, boolean), ledger.profit_of(timestamptz, timestamptz, uuid, uuid[])
  to ergon_app;

-- What was booked as charged by marketplaces under references: ids of attempts.
create or replace function ledger.paid_under(refs text[])
returns table (reference_id text, amount_sun bigint)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set plan_cache_mode = force_generic_plan rows 1000 as $$
begin
  return query
    select m.reference_id, sum(case when m.credit like 'asset:provider_float:%' then m.amount_sun else -m.amount_sun end)::bigint
      from unnest(refs) as r(name)
     cross join unnest(array['provider_cost', 'provider_goodwill']) as k(name)
      join ledger.movement m on m.kind = k.name and m.reference_id = r.name
     group by m.reference_id;
end $$;
revoke execute on function ledger.paid_under(text[]) from public;
grant execute on function ledger.paid_under(text[]) to ergon_app;
