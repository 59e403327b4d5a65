-- What the sums of a day have less what the ledger has, up to a key; `after`: the sums' own checkpoint. The ledger's side
-- knows nothing of products, clients and lines: it adds up the accounts of income and costs.
create or replace function books.difference(which date, after uuid, till uuid)
returns table (income_sun bigint, costs_sun bigint, movements bigint)
language plpgsql stable security definer set search_path = '' rows 1 as $$
begin
  return query
    with fresh as materialized (
      select a.* from books.attributed(after, till) a where a.of_day = which
    ), counted as (
      select d.line, d.amount_sun, d.movements from books.daily d where d.day = which and d.of_day = which
      union all
      select d.line, d.amount_sun, d.movements from books.daily d where d.of_day = which and d.day <> d.of_day
      union all
      select f.line, f.amount_sun, f.movements from fresh f
    )
    select (coalesce(sum(c.amount_sun) filter (where c.line in ('revenue', 'refunds', 'rewards')), 0) - l.income_sun)::bigint,
           (coalesce(-sum(c.amount_sun) filter (where c.line in ('provider_cost', 'network_fee', 'goodwill')), 0)
             - l.costs_sun)::bigint,
           (coalesce(sum(c.movements) filter (where c.line <> 'returned'), 0) - l.movements)::bigint
      from ledger.profit_of(which::timestamp at time zone 'UTC', (which + 1)::timestamp at time zone 'UTC', till,
                            array(select o.movement_id from books.late o where o.of_day = which
                                  union all select f.id from fresh f where f.is_late)) l
      left join counted c on true
     group by l.income_sun, l.costs_sun, l.movements;
end $$;

-- Records the comparison of a day. The sums stand still meanwhile.
create or replace function books.compare_day(which date, at timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
declare
  upto constant uuid := books.hold_sums();
begin
  update books.day d
     set compared_at = at, income_off_sun = o.income_sun, costs_off_sun = o.costs_sun, movements_off = o.movements
    from books.difference(which, upto, upto) o
   where d.day = which;
end $$;

-- Days without a movement are compared too: the sums may lack all of one.
create or replace function books.add_days(before date) returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into books.day (day)
  select g.day::date
    from (select max(d.day) as last from books.day d where d.day < before) l,
         generate_series(l.last + 1, before - 1, interval '1 day') as g(day)
  on conflict (day) do nothing;
end $$;

-- Keeps the sums from moving until the transaction ends; returns their checkpoint.
create or replace function books.hold_sums() returns uuid
language plpgsql security definer set search_path = '' as $$
declare
  at uuid;
begin
  select c.upto into at from books.checkpoint c for update;
  return at;
end $$;

revoke execute on function books.difference(date, uuid, uuid), books.compare_day(date, timestamptz), books.add_days(date),
  books.hold_sums() from public;
grant execute on function books.difference(date, uuid, uuid), books.compare_day(date, timestamptz), books.add_days(date),
  books.hold_sums() to ergon_app;
