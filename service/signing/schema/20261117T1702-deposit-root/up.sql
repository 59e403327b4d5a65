-- The first deposit address that the signer derives: the service derives its own from DEPOSIT_XPUB and
-- starts only when both are the same. The extended key itself is confidential and stays out of the database.
create table signing.deposit_root (
  only_row boolean primary key default true check (only_row),
  first_address text not null check (first_address ~ '^41[0-9a-f]{40}$')
);
grant select on signing.deposit_root to ergon_app;
grant select, insert, update on signing.deposit_root to ergon_signer;
