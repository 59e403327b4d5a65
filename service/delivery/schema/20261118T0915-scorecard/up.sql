-- How attempts of providers ended, by the hour in which they were made.
create table delivery.scorecard_hour (
  hour timestamptz not null,
  provider text not null,
  outcome text not null check (outcome in ('delivered', 'failed')),
  -- Whole seconds from the attempt to the block of its last delegation; 0 for what failed.
  seconds bigint not null check (seconds >= 0),
  attempts bigint not null check (attempts > 0),
  energy numeric not null,
  -- Energy times its price per Energy.
  price_sun numeric not null,
  primary key (hour, provider, outcome, seconds)
);
-- The row that a process locks while it counts.
create table delivery.scorecard (
  only_row boolean primary key default true check (only_row),
  counted_at timestamptz
);
insert into delivery.scorecard default values;
grant select, insert, delete on delivery.scorecard_hour to ergon_app;
grant select, update on delivery.scorecard to ergon_app;
