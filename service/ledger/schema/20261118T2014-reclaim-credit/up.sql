-- What a client gets back for Energy that a seller took back before its hour.
insert into ledger.kind (name, may_overdraw) values ('reclaim_credit', false) on conflict (name) do nothing;
