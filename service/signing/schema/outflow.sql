-- Turns signing off, which the service may do. The first reason stays. The row is locked even if it is
-- off already: a concurrent turn-on either sees the new finding, or is turned off after it.
create or replace function signing.turn_off(why text) returns void
language sql security definer set search_path = '' as $$
  update signing.switch set enabled = false, reason = case when enabled then why else reason end
$$;
revoke execute on function signing.turn_off(text) from public;
grant execute on function signing.turn_off(text) to ergon_app;

create or replace function signing.is_same(a signing.outflow, b signing.outflow) returns boolean
language sql immutable set search_path = '' as $$
  select (a.address, a.to_address, a.amount_sun, a.contract)
         is not distinct from (b.address, b.to_address, b.amount_sun, b.contract)
$$;
revoke execute on function signing.is_same(signing.outflow, signing.outflow) from public;

-- Records outflows and turns signing off. An outflow that was settled before, in a block that is read
-- again, does not count. What was booked for other facts than those of the block is open again: the
-- scanner reads the chain, and the first to name a transaction may have been somebody else. Returns the new ones.
create or replace function signing.find_outflows(
  txids text[], owners text[], receivers text[], amounts bigint[], contracts text[], block bigint, at timestamptz, why text,
  mined_at timestamptz)
returns setof text
language plpgsql security definer set search_path = '' as $$
begin
  return query
    insert into signing.outflow as o (txid, address, to_address, amount_sun, contract, block_number, found_at, block_time)
    select g.txid, g.owner, g.receiver, g.amount, g.contract, block, at, mined_at
      from unnest(txids, owners, receivers, amounts, contracts) as g(txid, owner, receiver, amount, contract)
     order by g.txid
    on conflict (txid) do update
       set block_number = excluded.block_number, block_time = excluded.block_time, address = excluded.address,
           to_address = excluded.to_address, amount_sun = excluded.amount_sun, contract = excluded.contract,
           booked_as = case when signing.is_same(o, excluded) then o.booked_as end,
           payout_id = case when signing.is_same(o, excluded) then o.payout_id end,
           attempt = case when signing.is_same(o, excluded) then o.attempt end
       where o.looked_at is null
    returning o.txid;
  if found then perform signing.turn_off(why); end if;
end $$;
revoke execute on function signing.find_outflows(text[], text[], text[], bigint[], text[], bigint, timestamptz, text, timestamptz) from public;
grant execute on function signing.find_outflows(text[], text[], text[], bigint[], text[], bigint, timestamptz, text, timestamptz) to ergon_app;

-- The same for processes of the last release, which do not pass the block's time.
create or replace function signing.find_outflows(
  txids text[], owners text[], receivers text[], amounts bigint[], contracts text[], block bigint, at timestamptz, why text)
returns setof text
language sql security definer set search_path = '' as $$
  select signing.find_outflows(txids, owners, receivers, amounts, contracts, block, at, why, null)
$$;
revoke execute on function signing.find_outflows(text[], text[], text[], bigint[], text[], bigint, timestamptz, text) from public;
grant execute on function signing.find_outflows(text[], text[], text[], bigint[], text[], bigint, timestamptz, text) to ergon_app;

-- Records what recovery made of findings, once each, and returns those that it recorded. They stay open
-- until the signer's machine has confirmed them.
create or replace function signing.book_outflows(txids text[], what text[], payouts uuid[], attempts bigint[])
returns setof text
language sql security definer set search_path = '' as $$
  update signing.outflow o set booked_as = g.what, payout_id = g.payout, attempt = g.attempt
    from unnest(txids, what, payouts, attempts) as g(txid, what, payout, attempt)
   where o.txid = g.txid and o.looked_at is null and o.booked_as is null and o.block_number is not null
  returning o.txid
$$;
revoke execute on function signing.book_outflows(text[], text[], uuid[], bigint[]) from public;
grant execute on function signing.book_outflows(text[], text[], uuid[], bigint[]) to ergon_app;

create or replace function signing.orphan_outflows(block bigint) returns void
language sql security definer set search_path = '' as $$
  update signing.outflow set block_number = null where block_number = block
$$;
revoke execute on function signing.orphan_outflows(bigint) from public;
grant execute on function signing.orphan_outflows(bigint) to ergon_app;
