do $$
declare mine constant uuid := '01930000-0000-7000-8000-000000000611';
begin
  assert (select received_below = '41' from chat.lease where app = 'old'), 'a lease was lost';

  -- What the release before does, with the rights that it has.
  set local role ergon_app;
  insert into chat.duty as d (app, owner, lease_until)
  values ('old', mine, clock_timestamp() + interval '10 s')
  on conflict (app) do update set owner = excluded.owner, lease_until = excluded.lease_until
   where d.owner = excluded.owner or d.lease_until <= clock_timestamp();
  assert (select owner = mine from chat.lease where app = 'old'), 'the old name does not take the lease';
  update chat.duty set heard_below = '42' where app = 'old' and owner = mine;
  assert (select received_below = '42' from chat.lease where app = 'old'), 'the old name does not note updates';
  delete from chat.duty where app = 'old';
  reset role;
end $$;
