-- The newest reconciliation, by whichever process made it: those that only answer read it here.
create table deposits.reconciliation (
  only_row boolean primary key default true check (only_row),
  result jsonb not null,
  surplus_sun bigint not null,
  read_at timestamptz not null
);
grant select, insert, update on deposits.reconciliation to ergon_app;
