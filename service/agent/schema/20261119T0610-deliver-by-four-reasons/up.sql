-- The contract names four reasons for which a skipped payment may be sold later.
create or replace function agent.check_transition() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (old.status, new.status) = ('skipped', 'delivering') and old.final_at is not null and not old.orphaned
     and old.skip_reason in ('insufficient_balance', 'paused', 'price_above_base', 'service_unavailable') then
    return new;
  end if;
  if (old.status, new.status) not in (
    ('processing', 'delivering'), ('processing', 'skipped'), ('delivering', 'completed'), ('delivering', 'failed')) then
    raise exception 'payment % cannot go from % to %', old.id, old.status, new.status
      using constraint = 'payment_transition_allowed';
  end if;
  return new;
end $$;
