-- For the signer, which reads nothing else of the chain: whether the cursor is within 20 s of the node's
-- head, which runs on from when a scanner last saw it; the solid block's time; and a mark that changes
-- whenever a scanner has asked a node for its head.
create or replace function chain.near_head() returns table (near boolean, solid_time timestamptz, mark text)
language sql security definer set search_path = '' rows 1 as $$
  select coalesce(h.block_time + (clock_timestamp() - h.seen_at) - c.block_time <= interval '20 seconds', false),
         c.solid_time, coalesce(h.xmin::text, '')
    from chain.cursor c left join chain.head h on true
$$;
revoke execute on function chain.near_head() from public;
grant usage on schema chain to ergon_signer;
grant execute on function chain.near_head() to ergon_signer;
