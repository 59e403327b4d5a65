-- The client's last version before a time. Versions have no gaps and grow with time, so a binary
-- search finds it in a few look-ups.
create or replace function ledger.version_before(client uuid, moment timestamptz) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  low bigint := 0;
  high bigint;
  middle bigint;
  at timestamptz;
begin
  select a.version into high from ledger.account a where a.id = client;
  while low < high loop
    middle := (low + high + 1) / 2;
    select m.created_at into at from ledger.movement m where m.client_id = client and m.version = middle;
    if at < moment then low := middle; else high := middle - 1; end if;
  end loop;
  return coalesce(low, 0);
end $$;
