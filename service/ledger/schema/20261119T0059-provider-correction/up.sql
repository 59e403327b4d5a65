-- What a person accepted of a marketplace's statement that our books did not have.
insert into ledger.kind (name, may_overdraw) values ('provider_correction', false) on conflict (name) do nothing;
