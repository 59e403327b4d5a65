-- A deposit that was reversed, a marketplace and a kind that no code names any more.
insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun,
                             debit, credit, amount_sun, description, created_at) values
  ('deposit', 'old', '01930000-0000-7000-8000-00000000a001', '01930000-0000-7000-8000-00000000a000', 1, 100,
   'asset:deposit_addresses', 'client', 100, '', '2026-01-01Z'),
  ('purchase', 'old', '01930000-0000-7000-8000-00000000a002', '01930000-0000-7000-8000-00000000a000', 2, 70,
   'client', 'escrow:orders', 30, '', '2026-01-02Z'),
  ('deposit_reversal', 'old', '01930000-0000-7000-8000-00000000a003', '01930000-0000-7000-8000-00000000a000', 3, -30,
   'client', 'asset:deposit_addresses', 100, '', '2026-01-03Z'),
  ('provider_cost', 'old', '01930000-0000-7000-8000-00000000a004', null, null, null,
   'cost:provider:closed_market', 'asset:provider_float:closed_market', 5, '', '2026-01-04Z'),
  ('voucher', 'old', '01930000-0000-7000-8000-00000000a005', '01930000-0000-7000-8000-00000000a000', 4, -20,
   'equity:operator', 'client', 10, '', '2026-01-05Z'),
  ('voucher_reversal', 'old', '01930000-0000-7000-8000-00000000a006', '01930000-0000-7000-8000-00000000a000', 5, -30,
   'client', 'equity:operator', 10, '', '2026-01-06Z');
