-- Profit and loss in sums per day, so that the report of a year does not read the movements of a year.

-- Movements up to this key are in the sums.
create table books.checkpoint (
  only_row boolean primary key default true check (only_row),
  upto uuid not null default '00000000-0000-0000-0000-000000000000'
);
insert into books.checkpoint default values;

create table books.daily (
  -- The day that they count for, and the day of the movements. They differ for movements that came after their month
  -- was closed.
  day date not null,
  of_day date not null,
  product text not null check (product in ('api', 'agent', 'autoenergy', 'house')),
  -- Null: no client's.
  client_id uuid,
  -- Empty: no provider's.
  provider text not null,
  line text not null check (line in
    ('revenue', 'refunds', 'rewards', 'provider_cost', 'network_fee', 'goodwill', 'returned')),
  -- What it adds to the margin: costs are negative. `returned` is no part of the margin.
  amount_sun bigint not null,
  movements bigint not null check (movements >= 0),
  constraint one_sum_per_day_and_line unique nulls not distinct (day, of_day, product, client_id, provider, line)
);
create index daily_moved on books.daily (of_day) where day <> of_day;

-- Movements whose id is not of their day, or that count for another day: they are few.
create table books.late (
  movement_id uuid primary key,
  of_day date not null,
  day date not null,
  kind text not null,
  reference_id text not null,
  amount_sun bigint not null
);
create index late_by_day on books.late (of_day);
create index late_by_counted_day on books.late (day);

-- Orders by the whole seconds from their charge to their delivery: medians of any range come from these.
create table books.delivery_time (
  day date not null,
  product text not null,
  seconds bigint not null check (seconds >= 0),
  orders bigint not null check (orders > 0),
  primary key (day, product, seconds)
);

-- Each day since the first movement, and its comparison with the ledger. Null: not compared since it changed.
create table books.day (
  day date primary key,
  compared_at timestamptz,
  -- What the sums have less what the ledger has; all zero is equal.
  income_off_sun bigint,
  costs_off_sun bigint,
  movements_off bigint,
  constraint compared_in_full check (
    (compared_at is null) = (income_off_sun is null) and (compared_at is null) = (costs_off_sun is null)
    and (compared_at is null) = (movements_off is null))
);
create index day_to_compare on books.day (day) where compared_at is null;
create index day_that_differs on books.day (day) where (income_off_sun, costs_off_sun, movements_off) <> (0, 0, 0);

-- Months that a person closed. What comes later for one counts for the first day of the open month.
create table books.closed_month (
  month date primary key check (extract(day from month) = 1),
  margin_sun bigint not null,
  closed_by text not null,
  why text not null,
  closed_at timestamptz not null
);

-- Nobody opens a month again: its sums stay what was reported, also for the owner of these tables.
create function books.refuse_closed() returns trigger
language plpgsql set search_path = '' as $$
declare
  closed constant date := (select c.month from books.closed_month c
                            where c.month in (date_trunc('month', new.day)::date, date_trunc('month', old.day)::date) limit 1);
begin
  if closed is not null then
    raise exception 'the month of % is closed', closed using constraint = 'month_is_open';
  end if;
  return coalesce(new, old);
end $$;
create trigger month_is_open before insert or update or delete on books.daily
  for each row execute function books.refuse_closed();
create function books.refuse_reopening() returns trigger
language plpgsql set search_path = '' as $$
begin
  raise exception 'a closed month stays closed' using constraint = 'closed_stays_closed';
end $$;
create trigger closed_stays_closed before update or delete on books.closed_month
  for each row execute function books.refuse_reopening();

grant usage on schema books to ergon_app;
grant select on books.checkpoint, books.daily, books.late, books.delivery_time, books.day to ergon_app;
grant select, insert on books.closed_month to ergon_app;
