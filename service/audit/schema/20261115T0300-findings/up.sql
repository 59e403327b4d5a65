-- What the auditor found broken. Nothing is mended here; a person decides.
create table audit.finding (
  id uuid primary key,
  invariant text not null,
  sentence text not null,
  example json not null,
  found_at timestamptz not null
);

-- How far each account's movements have been checked, so that the next look is at what is new.
create table audit.checkpoint (
  account_id uuid primary key,
  version bigint not null,
  balance_sun bigint not null
);

grant usage on schema audit to ergon_app;
grant select, insert on audit.finding to ergon_app;
grant select, insert, update on audit.checkpoint to ergon_app;
