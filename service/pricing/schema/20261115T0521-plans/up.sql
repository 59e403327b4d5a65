-- AutoEnergy plans. A withdrawn one keeps its row: subscriptions name it.
create table pricing.plan (
  name text primary key check (length(name) between 1 and 40),
  activation_fee_sun bigint not null check (activation_fee_sun >= 0),
  daily_sub_sun bigint not null check (daily_sub_sun >= 0),
  unit_price_65k_sun bigint not null check (unit_price_65k_sun > 0),
  unit_price_131k_sun bigint not null,
  term_days bigint check (term_days > 0),
  position bigint not null,
  withdrawn boolean not null default false,
  -- The reserve is one large unit: it must pay a small one too.
  constraint larger_unit_costs_no_less check (unit_price_131k_sun >= unit_price_65k_sun)
);
insert into pricing.plan
  (name, activation_fee_sun, daily_sub_sun, unit_price_65k_sun, unit_price_131k_sun, position)
values ('standard', 10000000, 1000000, 2200000, 4400000, 0);
grant select, insert, update on pricing.plan to ergon_app;
