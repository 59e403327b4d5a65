-- Transfers of the treasury: TRX on the cold address, and TRX on its way to a marketplace.
insert into ledger.own_account (name) values ('asset:cold'), ('asset:top_ups');
insert into ledger.kind (name, may_overdraw) values
  ('to_cold', false),
  ('top_up', false),
  ('top_up_arrived', false),
  ('top_up_lost', false);
