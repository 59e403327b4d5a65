-- What movements add to clients' balances, to escrow, and to our assets on deposit addresses, whose debits
-- increase them.
create or replace function ledger.sum_up(after uuid, till uuid, most bigint)
returns table (upto uuid, movements bigint, clients bigint, escrow bigint, deposit_addresses bigint)
language plpgsql stable security definer set search_path = ''
set enable_seqscan = off set plan_cache_mode = force_generic_plan rows 1 as $$
begin
  return query
    select (array_agg(m.id order by m.id desc))[1], count(*),
           coalesce(sum(case 'client' when m.credit then m.amount_sun when m.debit then -m.amount_sun end), 0)::bigint,
           coalesce(sum(case when (m.debit like 'escrow:%') = (m.credit like 'escrow:%') then 0
                             when m.credit like 'escrow:%' then m.amount_sun else -m.amount_sun end), 0)::bigint,
           coalesce(sum(case 'asset:deposit_addresses' when m.debit then m.amount_sun when m.credit then -m.amount_sun end), 0)::bigint
      from (select r.id, r.debit, r.credit, r.amount_sun from ledger.movement r
             where r.id > after and r.id <= till order by r.id limit most) m;
end $$;

-- Adds the next movements up to a key, at most so many, to the sums; returns their number. Keys of the last two
-- minutes are left out, even if the caller asks for them: a movement between them may not be committed yet.
create or replace function ledger.add_up(till uuid, most bigint) returns bigint
language plpgsql security definer set search_path = '' as $$
declare
  settled constant uuid := db.id_at(db.business_now() - interval '2 minutes');
  after uuid;
  slice record;
begin
  select s.upto into after from ledger.sums s for update;
  select * into slice from ledger.sum_up(after, least(till, settled), most);
  update ledger.sums s
     set upto = slice.upto, movements = s.movements + slice.movements,
         clients_sun = s.clients_sun + slice.clients, escrow_sun = s.escrow_sun + slice.escrow,
         deposit_addresses_sun = s.deposit_addresses_sun + slice.deposit_addresses
   where slice.movements > 0;
  return slice.movements;
end $$;

-- All of it at one moment: the sums, the movements after them, and what is owed to us.
create or replace function ledger.read_owed() returns table (clients bigint, escrow bigint, deposit_addresses bigint)
language sql stable security definer set search_path = '' as $$
  select s.clients_sun + n.clients - o.below, s.escrow_sun + n.escrow, s.deposit_addresses_sun + n.deposit_addresses
    from ledger.sums s
   cross join lateral ledger.sum_up(s.upto, 'ffffffff-ffff-ffff-ffff-ffffffffffff', null) n
   cross join (select coalesce(sum(a.balance_sun), 0)::bigint as below
                 from ledger.account a where a.overdrawn and a.balance_sun < 0) o
$$;

-- For what writes movements. A key at or below the checkpoint would be in no sum, so we would owe too little: it comes
-- from a clock that is minutes slow, or from a process that was suspended.
create or replace function ledger.refuse_older(ids uuid[]) returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  older constant uuid := (select i from unnest(ids) i, ledger.sums s where i <= s.upto limit 1);
begin
  if older is not null then
    raise exception 'movement % is older than the sums of the ledger: compare the clock of this process', older;
  end if;
end $$;

revoke execute on function ledger.sum_up(uuid, uuid, bigint), ledger.add_up(uuid, bigint), ledger.read_owed(),
  ledger.refuse_older(uuid[]) from public;
grant execute on function ledger.add_up(uuid, bigint), ledger.read_owed() to ergon_app;
