insert into books.daily (day, of_day, product, client_id, provider, line, amount_sun, movements) values
  ('2026-01-01', '2026-01-01', 'api', '01930000-0000-7000-8000-00000000c001', 'bazaar', 'revenue', 5, 1),
  ('2026-01-31', '2026-01-31', 'api', '01930000-0000-7000-8000-00000000c001', 'bazaar', 'revenue', 7, 2),
  ('2026-02-01', '2026-02-01', 'house', null, '', 'goodwill', -3, 1);
