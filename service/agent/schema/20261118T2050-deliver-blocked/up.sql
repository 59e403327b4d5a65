-- A payment that was skipped because its client was blocked may be sold once it is not: its customer has paid.
create or replace function agent.check_transition() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (old.status, new.status) = ('skipped', 'delivering') and old.final_at is not null and not old.orphaned
     and old.skip_reason in
       ('insufficient_balance', 'paused', 'price_above_base', 'service_unavailable', 'account_blocked') then
    return new;
  end if;
  if (old.status, new.status) not in (
    ('processing', 'delivering'), ('processing', 'skipped'), ('delivering', 'completed'), ('delivering', 'failed')) then
    raise exception 'payment % cannot go from % to %', old.id, old.status, new.status
      using constraint = 'payment_transition_allowed';
  end if;
  return new;
end $$;
