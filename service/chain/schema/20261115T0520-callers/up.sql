-- Addresses whose own calls of contracts are facts for us. Apart from chain.watched, which is about
-- what addresses receive: one address may be in both.
create table chain.caller (
  address text primary key check (address ~ '^41[0-9a-f]{40}$'),
  added_by xid8 not null default pg_current_xact_id()
);
create index caller_by_transaction on chain.caller (added_by);
grant select, insert, delete on chain.caller to ergon_app;
