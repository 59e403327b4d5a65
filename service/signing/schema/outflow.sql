-- Turns signing off, which the service may do. The first reason stays. The row is locked even if it is
-- off already: a concurrent turn-on either sees the new finding, or is turned off after it.
create or replace function signing.turn_off(why text) returns void
language sql security definer set search_path = '' as $$
  update signing.switch set enabled = false, reason = case when enabled then why else reason end
$$;
revoke execute on function signing.turn_off(text) from public;
grant execute on function signing.turn_off(text) to ergon_app;

-- Records outflows and turns signing off. An outflow that was settled before, in a block that is read
-- again, does not count. Returns the new ones.
create or replace function signing.find_outflows(
  txids text[], owners text[], receivers text[], amounts bigint[], contracts text[], block bigint, at timestamptz, why text)
returns setof text
language plpgsql security definer set search_path = '' as $$
begin
  return query
    insert into signing.outflow as o (txid, address, to_address, amount_sun, contract, block_number, found_at)
    select g.txid, g.owner, g.receiver, g.amount, g.contract, block, at
      from unnest(txids, owners, receivers, amounts, contracts) as g(txid, owner, receiver, amount, contract)
     order by g.txid
    on conflict (txid) do update set block_number = excluded.block_number where o.looked_at is null
    returning o.txid;
  if found then perform signing.turn_off(why); end if;
end $$;
revoke execute on function signing.find_outflows(text[], text[], text[], bigint[], text[], bigint, timestamptz, text) from public;
grant execute on function signing.find_outflows(text[], text[], text[], bigint[], text[], bigint, timestamptz, text) to ergon_app;

create or replace function signing.orphan_outflows(block bigint) returns void
language sql security definer set search_path = '' as $$
  update signing.outflow set block_number = null where block_number = block
$$;
revoke execute on function signing.orphan_outflows(bigint) from public;
grant execute on function signing.orphan_outflows(bigint) to ergon_app;
