-- What we have prepaid at a marketplace, as it last told us. Kept when its offer is withdrawn: the
-- money is still there.
alter table providers.provider
  add column float_sun bigint,
  add column float_seen_at timestamptz,
  add constraint float_has_a_time check ((float_sun is null) = (float_seen_at is null));
