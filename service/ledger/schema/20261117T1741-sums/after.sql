-- All movements that were there are in the sums.
do $$ begin
  assert (select s.movements > 0 and s.movements = (select count(*) from ledger.movement) from ledger.sums s),
    'the sums lack movements of the version before';
  assert (select s.clients_sun = (select sum(l.balance_after_sun)
                                    from (select distinct on (m.client_id) m.balance_after_sun from ledger.movement m
                                           where m.client_id is not null order by m.client_id, m.version desc) l)
            from ledger.sums s), 'the sums are not the balances of the version before';
end $$;
