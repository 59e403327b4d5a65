create table providers.provider (
  name text primary key,
  enabled boolean not null default true,
  unit_price_sun bigint not null check (unit_price_sun >= 0),
  -- Scripted faults of the sandbox. In production every provider is 'ok' and nothing reads this.
  behaviour text not null default 'ok' check (behaviour in (
    'ok', 'fail', 'timeout_after_accept', 'timeout_before_accept', 'lost_delegation', 'partial', 'late', 'down'))
);
insert into providers.provider (name, unit_price_sun) values ('own_stake', 15);

-- What each provider can sell now, as one leased loop last saw it. Stale rows are not sold from.
create table providers.offer (
  provider text primary key references providers.provider (name),
  unit_price_sun bigint not null,
  capacity_energy bigint not null,
  seen_at timestamptz not null
);

grant usage on schema providers to ergon_app;
grant select, insert, update on providers.provider, providers.offer to ergon_app;
grant delete on providers.offer to ergon_app;
