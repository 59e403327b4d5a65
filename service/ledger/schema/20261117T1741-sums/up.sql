-- Sums over all movements up to a key. What we owe is these and what came after.
create table ledger.sums (
  only_row boolean primary key default true check (only_row),
  upto uuid not null default '00000000-0000-0000-0000-000000000000',
  movements bigint not null default 0,
  clients_sun bigint not null default 0,
  escrow_sun bigint not null default 0,
  deposit_addresses_sun bigint not null default 0
);
-- The movements so far, except those of the last two minutes, which may not all be committed: without them every
-- reading of what we owe would go through years of movements until the loop has caught up. Reads the table once, and
-- before the index below: nobody waits for it.
insert into ledger.sums (upto, movements, clients_sun, escrow_sun, deposit_addresses_sun)
select coalesce((select l.id from ledger.movement l where l.id <= t.till order by l.id desc limit 1),
                '00000000-0000-0000-0000-000000000000'),
       n.movements, n.clients, n.escrow, n.deposit_addresses
  from (select db.id_at(db.business_now() - interval '2 minutes') as till) t
 cross join lateral (
    select count(*) as movements,
           coalesce(sum(case 'client' when m.credit then m.amount_sun when m.debit then -m.amount_sun end), 0) as clients,
           coalesce(sum(case when (m.debit like 'escrow:%') = (m.credit like 'escrow:%') then 0
                             when m.credit like 'escrow:%' then m.amount_sun else -m.amount_sun end), 0) as escrow,
           coalesce(sum(case 'asset:deposit_addresses' when m.debit then m.amount_sun
                                                       when m.credit then -m.amount_sun end), 0) as deposit_addresses
      from ledger.movement m where m.id <= t.till) n;
grant select on ledger.sums to ergon_app;

-- Balances below zero, which count as nothing. By this column and not by the balance: a balance in an index
-- would write that index with every movement.
create index account_overdrawn on ledger.account (id) where overdrawn;
