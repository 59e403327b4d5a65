-- Business time by the server's clock, for functions that must not believe the time of their caller.
create function db.business_now() returns timestamptz
language sql set search_path = '' as $$
  select clock_timestamp() + (select c.ahead_ms from db.clock c) * interval '1 ms'
$$;

-- The least id that could be made at a time: ids of ours begin with the milliseconds.
create function db.id_at(at timestamptz) returns uuid
language sql stable set search_path = '' as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
