-- What is said to clients about the service, and what was measured of it.
create table status.announcement (
  id uuid primary key,
  kind text not null check (kind in ('announcement', 'maintenance')),
  severity text not null check (severity in ('info', 'warning', 'critical')),
  title text not null check (char_length(title) between 1 and 120),
  text text not null check (char_length(text) <= 2000),
  link text check (link ~ '^https://' and char_length(link) <= 300),
  from_at timestamptz not null,
  -- Null: until it is withdrawn.
  until_at timestamptz,
  components text[] not null,
  places text[] not null check (cardinality(places) > 0),
  written_by text not null,
  written_at timestamptz not null,
  withdrawn_at timestamptz,
  constraint it_ends_after_it_begins check (until_at > from_at),
  constraint maintenance_ends_and_touches_something
    check (kind = 'announcement' or (until_at is not null and cardinality(components) > 0))
);

-- What an account does not want to see again.
create table status.dismissal (
  account_id uuid not null references identity.account (id),
  announcement_id uuid not null references status.announcement (id),
  at timestamptz not null,
  primary key (account_id, announcement_id)
);
create index dismissal_by_age on status.dismissal (at);

create table status.incident (
  id uuid primary key,
  -- What our measurements found; null: a person opened it.
  cause text,
  impact text not null check (impact in ('degraded', 'outage')),
  title text not null check (char_length(title) between 1 and 120),
  components text[] not null check (cardinality(components) > 0),
  began_at timestamptz not null,
  ended_at timestamptz check (ended_at >= began_at),
  withdrawn_at timestamptz,
  constraint measured_incidents_stay check (cause is null or withdrawn_at is null)
);
create unique index one_open_incident_per_cause on status.incident (cause) where cause is not null and ended_at is null;
create index incident_by_beginning on status.incident (began_at desc);
create index incident_open on status.incident (id) where ended_at is null;

create table status.incident_update (
  id uuid primary key,
  incident_id uuid not null references status.incident (id),
  phase text not null check (phase in ('investigating', 'identified', 'monitoring', 'resolved')),
  text text not null check (char_length(text) between 1 and 2000),
  -- The operator who wrote it; empty: our measurements.
  who text not null,
  at timestamptz not null
);
create index update_by_incident on status.incident_update (incident_id, id desc);

-- Minutes of a UTC day by what a component was in them.
create table status.day (
  day date not null,
  component text not null,
  operational bigint not null default 0,
  degraded bigint not null default 0,
  outage bigint not null default 0,
  maintenance bigint not null default 0,
  primary key (day, component)
);

-- The row that the process locks which measures a minute; real_at is by the database's clock.
create table status.watch (
  only_row boolean primary key default true check (only_row),
  measured_at timestamptz,
  real_at timestamptz
);
insert into status.watch default values;

grant usage on schema status to ergon_app;
grant select, insert, update on status.announcement, status.incident to ergon_app;
grant select, insert on status.incident_update to ergon_app;
grant select, insert, delete on status.dismissal to ergon_app;
grant select, insert, update, delete on status.day to ergon_app;
grant select, update on status.watch to ergon_app;
