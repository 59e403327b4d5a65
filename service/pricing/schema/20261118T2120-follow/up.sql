-- Prices that follow wholesale. Without a rule everybody pays the schedule.
create table pricing.follow_rule (
  id uuid primary key,
  -- Empty: everybody who is in no group with a rule of its own.
  group_name text not null check (length(group_name) <= 40),
  margin_sun bigint not null check (margin_sun between 0 and 10000),
  change_max_sun bigint not null check (change_max_sun between 1 and 10000),
  -- Larger orders pay the schedule: the cost of a small one says nothing about theirs.
  amount_max bigint not null check (amount_max > 0),
  -- Of an experiment: holds for half of the group's accounts.
  is_experiment boolean not null,
  began_at timestamptz not null,
  ends_at timestamptz check (ends_at >= began_at),
  constraint an_experiment_has_an_end check (not is_experiment or ends_at is not null)
);
create unique index one_rule_per_group on pricing.follow_rule (group_name) where not is_experiment and ends_at is null;

-- From when a rule's price holds: some seconds after it was written, so that every process knows it by then.
create table pricing.followed_price (
  rule_id uuid not null references pricing.follow_rule (id),
  from_at timestamptz not null,
  unit_sun bigint not null check (unit_sun > 0),
  cost_sun bigint not null check (cost_sun > 0),
  primary key (rule_id, from_at)
);
create index followed_price_by_time on pricing.followed_price (from_at);

-- What 65,000 Energy cost us, by the Energy and rounded up, from this moment on.
create table pricing.wholesale (
  from_at timestamptz primary key,
  unit_sun bigint not null check (unit_sun > 0)
);

grant select, insert, update on pricing.follow_rule to ergon_app;
grant select, insert, delete on pricing.followed_price, pricing.wholesale to ergon_app;

create trigger rules_are_noticed after insert or update or delete on pricing.follow_rule
  for each statement execute function pricing.note_change();
create trigger followed_prices_are_noticed after insert on pricing.followed_price
  for each statement execute function pricing.note_change();
