-- Destinations of the treasury with their caps, so that the service asks for nothing that would be refused. The signer
-- writes them when its file changes; the file decides, whatever is written here.
create table signing.treasury_destination (
  address text primary key check (address ~ '^41[0-9a-f]{40}$'),
  hour_sun bigint not null check (hour_sun > 0),
  day_sun bigint not null check (day_sun > 0),
  effective_from timestamptz not null
);
grant select on signing.treasury_destination to ergon_app;
grant select, insert, update, delete on signing.treasury_destination to ergon_signer;
