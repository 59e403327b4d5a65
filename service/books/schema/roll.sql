-- Movements of profit and loss after a key with what they are counted under. The price of an order that several
-- providers filled is divided by their Energy; the parts add up to the price.
create or replace function books.attributed(after uuid, till uuid)
returns table (id uuid, day date, of_day date, product text, client_id uuid, provider text, line text, amount_sun bigint,
               movements bigint, kind text, reference_id text, is_late boolean, seconds bigint)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
#variable_conflict use_column
declare
  open_from constant date := coalesce((select (max(c.month) + interval '1 month')::date from books.closed_month c), '-infinity');
begin
  return query
    with moves as materialized (
      select m.*, m.kind in ('provider_cost', 'provider_goodwill', 'network_fee') as is_cost
        from ledger.profits_between(after, till) m
    ), causes as materialized (
      select c.* from delivery.causes_of(array(select distinct m.reference_id from moves m where m.is_cost)) c
    ), owned as (
      select m.*, c.reference is not null as is_caused, coalesce(c.is_standing, false) as is_standing,
             case when m.is_cost then c.order_id::text
                         when m.kind = 'reclaim_credit' then split_part(m.reference_id, ':', 1)
                         when m.kind <> 'adjustment' then m.reference_id end as charged_as
        from moves m left join causes c on m.is_cost and c.reference = m.reference_id
    ), charges as materialized (
      select c.* from ledger.charges_of(array(select distinct o.charged_as from owned o where o.charged_as is not null)) c
    ), delivered as (
      select distinct on (m.reference_id) m.reference_id::uuid as request, m.created_at as booked from moves m
       where m.kind = 'deliver' and m.reference_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
       order by m.reference_id, m.created_at
    ), filled as materialized (
      select f.* from (select array_agg(d.request) as requests, array_agg(d.booked) as times from delivered d) d
       cross join lateral delivery.filled_by(d.requests, d.times) f
    ), shares as (
      select o.*, c.kind as charge, c.client_id as charged, c.created_at as charged_at, f.provider as filler, f.energy,
             sum(f.energy) over w as upto, sum(f.energy) over (partition by o.id, o.account) as whole,
             row_number() over w as place
        from owned o
        left join charges c on c.reference_id = o.charged_as
        left join filled f on o.kind = 'deliver' and f.request_id::text = o.reference_id
      window w as (partition by o.id, o.account order by f.provider)
    ), counted as (
      select s.*, (s.created_at at time zone 'UTC')::date as own_day,
             case when s.charge like 'autoenergy%' or s.is_standing then 'autoenergy'
                  when s.charge = 'agent_charge' then 'agent' when s.charge = 'purchase' then 'api' else 'house' end as sold_as
        from shares s
    )
    select s.id, case when s.own_day < open_from then open_from else s.own_day end, s.own_day, s.sold_as,
           coalesce(s.client_id, s.charged),
           case when s.account like 'cost:provider:%' then substr(s.account, 15)
                when s.counter like 'asset:provider_float:%' then substr(s.counter, 22)
                when s.is_caused or s.sold_as = 'autoenergy' then 'own_stake'
                else coalesce(s.filler, '') end,
           case when s.account = 'income:rewards' then 'rewards'
                when s.account like 'income:%' then case when s.amount_sun > 0 then 'revenue' else 'refunds' end
                when s.account like 'cost:provider:%' then 'provider_cost'
                when s.account = 'cost:network' then 'network_fee'
                when s.account like 'cost:%' then 'goodwill'
                else 'returned' end,
           case when s.energy is null then s.amount_sun
                else (div(s.amount_sun * s.upto, s.whole) - div(s.amount_sun * (s.upto - s.energy), s.whole))::bigint end,
           case when s.place = 1 then 1 else 0 end::bigint, s.kind, s.reference_id,
           s.own_day < open_from or s.id < db.id_at(s.created_at - interval '1 hour')
             or s.id >= db.id_at(s.created_at + interval '1 hour'),
           case when s.kind = 'deliver' and s.place = 1
                then greatest(0, ceil(extract(epoch from s.created_at - s.charged_at)))::bigint end
      from counted s;
end $$;

-- Adds the next settled movements to the sums, and moves the checkpoint with them; returns how many it read. In one
-- transaction, with the checkpoint locked: a crash or a second worker counts nothing twice.
create or replace function books.roll_forward(most bigint) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  after uuid;
  slice record;
begin
  select c.upto into after from books.checkpoint c for update;
  select * into slice from ledger.slice_after(after, most, true);
  if slice.movements = 0 then return 0; end if;

  with counted as materialized (
    select * from books.attributed(after, slice.upto)
  ), summed as (
    insert into books.daily as d (day, of_day, product, client_id, provider, line, amount_sun, movements)
    select c.day, c.of_day, c.product, c.client_id, c.provider, c.line, sum(c.amount_sun)::bigint, sum(c.movements)::bigint
      from counted c
     group by c.day, c.of_day, c.product, c.client_id, c.provider, c.line
    on conflict on constraint one_sum_per_day_and_line do update
       set amount_sun = d.amount_sun + excluded.amount_sun, movements = d.movements + excluded.movements
  ), timed as (
    insert into books.delivery_time as t (day, product, seconds, orders)
    select c.day, c.product, c.seconds, count(*) from counted c where c.seconds is not null
     group by c.day, c.product, c.seconds
    on conflict (day, product, seconds) do update set orders = t.orders + excluded.orders
  ), noted as (
    insert into books.late (movement_id, of_day, day, kind, reference_id, amount_sun)
    select c.id, c.of_day, c.day, c.kind, c.reference_id, sum(c.amount_sun)::bigint
      from counted c where c.is_late group by c.id, c.of_day, c.day, c.kind, c.reference_id
  )
  insert into books.day (day) select distinct c.of_day from counted c
  on conflict (day) do update set compared_at = null, income_off_sun = null, costs_off_sun = null, movements_off = null;

  update books.checkpoint set upto = slice.upto;
  return slice.movements;
end $$;

revoke execute on function books.attributed(uuid, uuid), books.roll_forward(bigint) from public;
grant execute on function books.attributed(uuid, uuid), books.roll_forward(bigint) to ergon_app;
