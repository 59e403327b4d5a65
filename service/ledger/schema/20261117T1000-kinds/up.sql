-- The kinds of movements. `may_overdraw`: takes from a client although the balance goes below zero by it.
create table ledger.kind (
  name text primary key,
  may_overdraw boolean not null
);

-- The accounts that a movement goes from and to. `client` stands for the account in client_id, and is here
-- because one foreign key checks a whole column; every other one is an account of our own.
create table ledger.own_account (
  name text primary key
);

insert into ledger.kind (name, may_overdraw) values
  ('adjustment', false),
  ('agent_charge', false),
  ('agent_revenue', false),
  ('agent_revenue_reversal', true),
  ('autoenergy_activate', false),
  ('autoenergy_daily', false),
  ('autoenergy_unit', false),
  ('deliver', false),
  ('deposit', false),
  ('deposit_reversal', true),
  ('network_fee', false),
  ('payout', false),
  -- Gives money back, so it never needs to.
  ('payout_reversal', false),
  ('provider_cost', false),
  ('provider_goodwill', false),
  ('purchase', false),
  ('refund', false),
  ('sweep', false);

insert into ledger.own_account (name) values
  ('client'),
  ('asset:deposit_addresses'),
  ('asset:hot'),
  ('asset:staked'),
  ('cost:goodwill'),
  ('cost:network'),
  ('equity:operator'),
  ('escrow:orders'),
  ('income:energy'),
  ('income:fees');

-- Processes of the last release book with these marketplaces and open no accounts for them.
insert into ledger.own_account (name)
select prefix || provider
  from unnest(array['cost:provider:', 'asset:provider_float:']) as prefix,
       unnest(array['catfee', 'ergon', 'itrx', 'tronsave', 'tronzap']) as provider;

-- Old rows stay valid whatever they name: by the rule that they were booked under.
insert into ledger.kind (name, may_overdraw)
select distinct m.kind, m.kind like '%reversal' from ledger.movement m
    on conflict (name) do nothing;
insert into ledger.own_account (name)
select distinct side from ledger.movement m, unnest(array[m.debit, m.credit]) as side
    on conflict (name) do nothing;

grant select on ledger.kind, ledger.own_account to ergon_app;

-- Last, because from here on nobody books until the commit. Rows that are there already are looked at by
-- the next migration, in a transaction that does not make purchases wait.
alter table ledger.movement
  add constraint kind_is_known foreign key (kind) references ledger.kind (name) not valid,
  add constraint debit_is_known foreign key (debit) references ledger.own_account (name) not valid,
  add constraint credit_is_known foreign key (credit) references ledger.own_account (name) not valid;
