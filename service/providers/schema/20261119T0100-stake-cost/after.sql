do $$
begin
  if (select count(*) from providers.stake_terms where yield_bps = 500 and unit_sun is null) <> 1 then
    raise exception 'own stake has no terms';
  end if;
end $$;
