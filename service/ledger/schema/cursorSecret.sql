-- The secret there is, or the proposed one when there was none. Whoever loses the race gets the winner's.
create or replace function ledger.cursor_secret(proposed bytea) returns bytea
language plpgsql security definer set search_path = '' as $$
declare found bytea;
begin
  select s.secret into found from ledger.cursor_secret s;
  if found is null then
    insert into ledger.cursor_secret (secret) values (proposed) on conflict do nothing;
    select s.secret into strict found from ledger.cursor_secret s;
  end if;
  return found;
end $$;
