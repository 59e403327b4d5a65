-- The operator's terms. One row, read by every node each second and at once when it changed here.
create table pricing.terms (
  only_row boolean primary key default true check (only_row),
  schedule_sun bigint[] not null,
  min_amount bigint not null check (min_amount > 0),
  max_amount bigint not null,
  margin_floor_sun bigint not null default 0 check (margin_floor_sun >= 0),
  constraint one_price_per_utc_hour check (cardinality(schedule_sun) = 24 and 0 < all (schedule_sun)),
  constraint bounds_in_order check (min_amount <= max_amount)
);
insert into pricing.terms (schedule_sun, min_amount, max_amount) values (
  array[24, 24, 24, 24, 25, 26, 27, 28, 30, 31, 32, 33, 34, 35, 36, 36, 35, 34, 33, 32, 30, 28, 26, 25],
  32000, 5000000);

create table pricing.discount (
  account_id uuid primary key references identity.account (id),
  basis_points bigint not null check (basis_points between 0 and 10000)
);

grant usage on schema pricing to ergon_app;
grant select, update on pricing.terms to ergon_app;
grant select, insert, update on pricing.discount to ergon_app;
