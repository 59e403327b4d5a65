-- TRX on an agent's dedicated address is credited, verified, reversed and swept as a deposit is; only
-- its name in the ledger differs, and it is no deposit in the client's list.
alter table deposits.deposit add column kind text not null default 'deposit'
  check (kind in ('deposit', 'agent_revenue'));
