-- The sums of all clients together: a year with 1,000 clients and 5 million orders has 2.6 million sums, and 3,000 totals.
create table books.daily_total (
  day date not null,
  product text not null,
  provider text not null,
  line text not null,
  amount_sun bigint not null,
  movements bigint not null,
  primary key (day, product, provider, line)
);
insert into books.daily_total (day, product, provider, line, amount_sun, movements)
select d.day, d.product, d.provider, d.line, sum(d.amount_sun)::bigint, sum(d.movements)::bigint
  from books.daily d
 group by d.day, d.product, d.provider, d.line;

create trigger month_is_open before insert or update or delete on books.daily_total
  for each row execute function books.refuse_closed();

-- The database adds every change of the sums to the totals, whoever makes it: what was compared with the ledger is what is shown.
create function books.add_totals() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'TRUNCATE' then
    truncate books.daily_total;
  elsif tg_op = 'INSERT' then
    insert into books.daily_total as t (day, product, provider, line, amount_sun, movements)
    select n.day, n.product, n.provider, n.line, sum(n.amount_sun)::bigint, sum(n.movements)::bigint
      from changed_to n group by n.day, n.product, n.provider, n.line
     order by n.day, n.product, n.provider, n.line
    on conflict (day, product, provider, line) do update
       set amount_sun = t.amount_sun + excluded.amount_sun, movements = t.movements + excluded.movements;
  elsif tg_op = 'UPDATE' then
    insert into books.daily_total as t (day, product, provider, line, amount_sun, movements)
    select c.day, c.product, c.provider, c.line, sum(c.amount_sun)::bigint, sum(c.movements)::bigint
      from (select n.day, n.product, n.provider, n.line, n.amount_sun, n.movements from changed_to n
            union all
            select o.day, o.product, o.provider, o.line, -o.amount_sun, -o.movements from changed_from o) c
     group by c.day, c.product, c.provider, c.line
     order by c.day, c.product, c.provider, c.line
    on conflict (day, product, provider, line) do update
       set amount_sun = t.amount_sun + excluded.amount_sun, movements = t.movements + excluded.movements;
  else
    insert into books.daily_total as t (day, product, provider, line, amount_sun, movements)
    select o.day, o.product, o.provider, o.line, -sum(o.amount_sun)::bigint, -sum(o.movements)::bigint
      from changed_from o group by o.day, o.product, o.provider, o.line
     order by o.day, o.product, o.provider, o.line
    on conflict (day, product, provider, line) do update
       set amount_sun = t.amount_sun + excluded.amount_sun, movements = t.movements + excluded.movements;
  end if;
  return null;
end $$;
create trigger adds_to_totals after insert on books.daily
  referencing new table as changed_to for each statement execute function books.add_totals();
create trigger changes_totals after update on books.daily
  referencing old table as changed_from new table as changed_to for each statement execute function books.add_totals();
create trigger takes_from_totals after delete on books.daily
  referencing old table as changed_from for each statement execute function books.add_totals();
create trigger empties_totals after truncate on books.daily
  for each statement execute function books.add_totals();

grant select on books.daily_total to ergon_app;
