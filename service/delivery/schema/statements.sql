-- For the comparison with statements of marketplaces: attempts at one of them that were called in a time, and those
-- that are named. Times are those of the call, by the database's clock.
create or replace function delivery.attempts_at(market text, since timestamptz, till timestamptz, named uuid[])
returns table (id uuid, order_id text, receiver text, energy bigint, cost_sun bigint, is_open boolean, called_at timestamptz)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
begin
  return query
    select a.id, a.order_id, r.receiver_address, a.energy, a.cost_sun,
           a.state in ('sending', 'sent', 'unknown', 'undecided'), a.called_at
      from (select c.id from delivery.attempt c where c.provider = market and c.called_at >= since and c.called_at < till
             union
            select n.id from delivery.attempt n where n.id = any (named) and n.provider = market) o
      join delivery.attempt a on a.id = o.id
      join delivery.part p on p.id = a.part_id
      join delivery.request r on r.id = p.request_id;
end $$;

revoke execute on function delivery.attempts_at(text, timestamptz, timestamptz, uuid[]) from public;
grant execute on function delivery.attempts_at(text, timestamptz, timestamptz, uuid[]) to ergon_app;
