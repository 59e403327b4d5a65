-- A payment whose own revenue is in a block that is not final keeps the deal of its first judgement
-- until its block is final. It is not looked at before, and its ten minutes of retries begin then.
alter table agent.payment
  add column held_units bigint,
  add column held_energy bigint,
  add column held_cost_sun bigint,
  add constraint held_is_a_whole_deal check (
    (held_units is null) = (held_energy is null) and (held_units is null) = (held_cost_sun is null));
