do $$
declare
  refused_by text;
begin
  assert (select count(*) = 6 and sum(m.amount_sun) = 255 from ledger.movement m where m.reference_id = 'old'),
    'old movements are not what they were';
  assert (select array_agg(k.name order by k.name) = array['agent_revenue_reversal', 'deposit_reversal', 'voucher_reversal']
            from ledger.kind k where k.may_overdraw), 'other kinds may overdraw than before';
  assert exists (select from ledger.kind k where k.name = 'voucher'), 'an old kind is unknown';
  assert (select count(*) = 2 from ledger.own_account a where a.name like '%:closed_market'),
    'accounts of an old marketplace are unknown';

  begin
    insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
    values ('typo', 'new', '01930000-0000-7000-8000-00000000a007', 'asset:hot', 'cost:network', 1, '', '2026-01-07Z');
  exception when foreign_key_violation then
    get stacked diagnostics refused_by = constraint_name;
  end;
  assert refused_by = 'kind_is_known', 'an unknown kind was booked';
end $$;
