-- The stored secret, or the proposed one if there was none. Of two concurrent calls both get the same secret.
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
