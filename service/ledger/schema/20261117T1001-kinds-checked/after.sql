do $$ begin
  assert (select count(*) = 3 and bool_and(c.convalidated) from pg_catalog.pg_constraint c
           where c.conname in ('kind_is_known', 'debit_is_known', 'credit_is_known')),
    'old movements were not compared with the lists';
end $$;
