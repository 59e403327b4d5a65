-- The offer by which a payment was sold. It may be one that ended shortly before the transfer's
-- block; the client sees in it why a customer got so much. Null for sales made before this column.
alter table agent.payment
  add column base_payment_sun bigint,
  add column energy_per_unit bigint;

-- No version replaces another, so that a price which somebody has seen cannot vanish. Where clocks of
-- two nodes differ, or two changes come within a millisecond, the later one is a microsecond later.
create or replace function agent.keep_version() returns trigger
language plpgsql set search_path = '' as $$
declare
  last timestamptz;
begin
  select max(v.valid_from) into last from agent.config_version v where v.config_id = new.id;
  insert into agent.config_version (config_id, valid_from, energy_per_unit, base_payment_sun, max_units, active, claims)
  values (new.id, greatest(new.updated_at, last + interval '1 microsecond'), new.energy_per_unit, new.base_payment_sun,
          new.max_units, new.status = 'active', new.deleted_at is null and new.displaced_at is null);
  return null;
end $$;
