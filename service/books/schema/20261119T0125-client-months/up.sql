-- The sums of whole months: a year with 1,000 clients has 84,000 of them, where it has 2.6 million sums of days.
create table books.client_month (
  month date not null check (extract(day from month) = 1),
  product text not null,
  -- Null: no client's.
  client_id uuid,
  provider text not null,
  line text not null,
  amount_sun bigint not null,
  movements bigint not null,
  constraint one_sum_per_month_and_line unique nulls not distinct (month, product, client_id, provider, line)
);

-- Adds changes of sums, which are rows of books.daily, to the months; `sign` is -1 for what is taken away.
create function books.add_months(changes books.daily[], sign int) returns void
language sql set search_path = '' as $$
  insert into books.client_month as m (month, product, client_id, provider, line, amount_sun, movements)
  select date_trunc('month', c.day)::date, c.product, c.client_id, c.provider, c.line, sum(sign * c.amount_sun)::bigint,
         sum(sign * c.movements)::bigint
    from unnest(changes) as c
   group by 1, 2, 3, 4, 5
   order by 1, 2, 3, 4, 5
  on conflict on constraint one_sum_per_month_and_line do update
     set amount_sun = m.amount_sun + excluded.amount_sun, movements = m.movements + excluded.movements
$$;
revoke execute on function books.add_months(books.daily[], int) from public;

insert into books.client_month (month, product, client_id, provider, line, amount_sun, movements)
select date_trunc('month', d.day)::date, d.product, d.client_id, d.provider, d.line, sum(d.amount_sun)::bigint,
       sum(d.movements)::bigint
  from books.daily d
 group by 1, 2, 3, 4, 5;

create function books.refuse_closed_month() returns trigger
language plpgsql set search_path = '' as $$
begin
  if exists (select from books.closed_month c where c.month in (new.month, old.month)) then
    raise exception 'the month of % is closed', coalesce(new.month, old.month) using constraint = 'month_is_open';
  end if;
  return coalesce(new, old);
end $$;
create trigger month_is_open before insert or update or delete on books.client_month
  for each row execute function books.refuse_closed_month();

-- Adds every change of the sums to the months, as books.add_totals does to the totals.
create function books.follow_in_months() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'TRUNCATE' then
    truncate books.client_month;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    perform books.add_months(array(select row(o.*)::books.daily from changed_from o), -1);
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    perform books.add_months(array(select row(n.*)::books.daily from changed_to n), 1);
  end if;
  return null;
end $$;
create trigger adds_to_months after insert on books.daily
  referencing new table as changed_to for each statement execute function books.follow_in_months();
create trigger changes_months after update on books.daily
  referencing old table as changed_from new table as changed_to
  for each statement execute function books.follow_in_months();
create trigger takes_from_months after delete on books.daily
  referencing old table as changed_from for each statement execute function books.follow_in_months();
create trigger empties_months after truncate on books.daily
  for each statement execute function books.follow_in_months();

grant select on books.client_month to ergon_app;
