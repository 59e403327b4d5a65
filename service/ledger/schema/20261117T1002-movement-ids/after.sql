do $$
declare
  refused_by text;
begin
  begin
    insert into ledger.movement (kind, reference_id, id, debit, credit, amount_sun, description, created_at)
    select 'sweep', 'twice ' || n, '01930000-0000-7000-8000-00000000a008', 'asset:hot', 'cost:network', 1, '', '2026-01-08Z'
      from generate_series(1, 2) as n;
  exception when unique_violation then
    get stacked diagnostics refused_by = constraint_name;
  end;
  assert refused_by = 'movement_id_is_unique', 'two movements have one id';
end $$;
