do $$
begin
  if (select array_agg(m.amount_sun || ' ' || m.movements order by m.month) from books.client_month m)
     is distinct from array['12 3', '-3 1'] then
    raise exception 'the months are not those of the sums';
  end if;
  update books.daily set amount_sun = amount_sun + 1, movements = movements + 1 where amount_sun = 5;
  delete from books.daily where day = '2026-02-01';
  if (select array_agg(m.amount_sun || ' ' || m.movements order by m.month) from books.client_month m)
     is distinct from array['13 4', '0 0'] then
    raise exception 'the months did not follow the sums';
  end if;
  delete from books.daily where day < '2026-02-01';
  delete from books.client_month;
  delete from books.daily_total;
end $$;
