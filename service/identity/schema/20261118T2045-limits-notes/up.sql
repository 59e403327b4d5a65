-- Limits of one client that differ from those of the service; null: as for everybody.
create table identity.client_limit (
  account_id uuid primary key references identity.account (id),
  requests_per_minute bigint check (requests_per_minute > 0),
  unverified_credit_sun bigint check (unverified_credit_sun >= 0),
  order_energy_max bigint check (order_energy_max > 0)
);
grant select, insert, update on identity.client_limit to ergon_app;
create trigger limits_are_noticed after insert or update or delete on identity.client_limit
  for each statement execute function identity.note_client();

-- What operators write down about a client, for each other. No route of a client reads it.
create table identity.client_note (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  text text not null,
  who text not null,
  at timestamptz not null
);
create index note_by_account on identity.client_note (account_id, id desc);
grant select, insert on identity.client_note to ergon_app;
