-- For the books: whom a movement of the ledger was for. References are ids of attempts and txids of delegations,
-- reclaims and moves of standing Energy; what is none of them has no row.
create or replace function delivery.causes_of(refs text[])
returns table (reference text, order_id uuid, is_standing boolean)
language plpgsql stable security definer set search_path = '' rows 100 as $$
begin
  return query
    select r.name, delivery.first_request(p.request_id), s.txid is not null
      from unnest(refs) as r(name)
      left join delivery.attempt named
             on named.id = case when r.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then r.name::uuid end
      left join delivery.delegation made on made.txid = r.name
      left join delivery.delegation ended on ended.reclaim_txid = r.name
      left join delivery.standing_move s on s.txid = r.name
      left join delivery.attempt a on a.id = coalesce(named.id, made.attempt_id, ended.attempt_id)
      left join delivery.part p on p.id = a.part_id
     where s.txid is not null or p.id is not null or made.txid is not null or ended.txid is not null;
end $$;

-- The request that a client made, of one that delivers again what a reorganisation took.
create or replace function delivery.first_request(request uuid) returns uuid
language plpgsql stable security definer set search_path = '' as $$
declare
  first uuid := request;
  before uuid;
begin
  loop
    select p.request_id into before
      from delivery.delegation d
      join delivery.attempt a on a.id = d.attempt_id
      join delivery.part p on p.id = a.part_id
     where d.redelivered_by = first
     limit 1;
    if before is null then return first; end if;
    first := before;
  end loop;
end $$;

-- How much Energy each provider delegated for requests until their delivery was booked. The time of a block may be ahead of
-- our clock, so the first delegation always counts.
drop function if exists delivery.filled_by(uuid[]);
create or replace function delivery.filled_by(requests uuid[], booked timestamptz[])
returns table (request_id uuid, provider text, energy numeric)
language plpgsql stable security definer set search_path = '' rows 100 as $$
begin
  return query
    select f.id, f.provider, sum(f.energy)
      from (select r.id, r.at, d.provider, d.energy, d.delegated_at, min(d.delegated_at) over (partition by r.id) as first_at
              from unnest(requests, booked) as r(id, at)
              join delivery.part p on p.request_id = r.id
              join delivery.attempt a on a.part_id = p.id and a.state in ('delivered', 'partial')
              join delivery.delegation d on d.attempt_id = a.id
             where d.energy > 0) f
     where f.delegated_at <= greatest(f.at, f.first_at)
     group by f.id, f.provider;
end $$;

revoke execute on function delivery.causes_of(text[]), delivery.first_request(uuid), delivery.filled_by(uuid[], timestamptz[]) from public;
grant execute on function delivery.first_request(uuid) to ergon_app;
