do $$
begin
  if (select array_agg(t.amount_sun || ' ' || t.movements order by t.day) from books.daily_total t)
     is distinct from array['12 3', '-3 1'] then
    raise exception 'the totals are not those of the sums';
  end if;
  update books.daily set amount_sun = amount_sun + 1, movements = movements + 1 where amount_sun = 5;
  delete from books.daily where day = '2026-01-02';
  if (select array_agg(t.amount_sun || ' ' || t.movements order by t.day) from books.daily_total t)
     is distinct from array['13 4', '0 0'] then
    raise exception 'the totals did not follow the sums';
  end if;
  delete from books.daily where day = '2026-01-01';
  delete from books.daily_total;
end $$;
