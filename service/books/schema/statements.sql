-- Comparing what marketplaces say they charged with what we booked. Days are UTC days of the call, in wall time.

-- Says whose orders the charges are: by our reference, by their order id, else by receiver, Energy and time.
create or replace function books.match_charges(market text, since timestamptz) returns void
language plpgsql security definer set search_path = '' as $$
begin
  -- The id of an order may be learned after its charge was read, so what was only likely is decided anew.
  update books.statement_row r set attempt_id = null, matched_by = null
   where r.provider = market and r.at >= since and r.matched_by = 'likeness';

  with called as materialized (
    select a.* from delivery.attempts_at(market, since - interval '1 day', 'infinity', '{}') a
  ), unmatched as materialized (
    select r.* from books.statement_row r where r.provider = market and r.at >= since and r.attempt_id is null
  ), exact as materialized (
    select distinct on (m.entry_id) m.entry_id, m.id, m.how
      from (select u.entry_id, a.id, 'reference' as how from unmatched u join called a on a.id::text = u.reference
             union all
            select u.entry_id, a.id, 'order' from unmatched u join called a on a.order_id = u.order_id) m
     order by m.entry_id, m.how desc
  ), likely as (
    select distinct on (u.entry_id) u.entry_id, a.id, 'likeness' as how
      from unmatched u
      join called a on a.receiver = u.receiver and a.energy = u.energy
       and a.called_at between u.at - interval '90 seconds' and u.at + interval '90 seconds'
     where not exists (select from exact e where e.entry_id = u.entry_id)
     -- An attempt whose order nobody knows comes before one whose order is another.
     order by u.entry_id, a.order_id is not null, abs(extract(epoch from a.called_at - u.at)), a.id
  )
  update books.statement_row r set attempt_id = m.id, matched_by = m.how
    from (select * from exact union all select * from likely) m
   where r.provider = market and r.entry_id = m.entry_id;
end $$;

-- Both sides of each order: charges since a time, attempts that were called between two, and all that differed before.
create or replace function books.statement_subjects(market text, since timestamptz, till timestamptz)
returns table (subject text, attempt_id uuid, order_id text, at timestamptz, charged_sun bigint, refunded_sun bigint,
               entries bigint, charges bigint, ours_sun bigint, settled_sun bigint, is_open boolean)
language plpgsql stable security definer set search_path = '' rows 1000 as $$
#variable_conflict use_column
begin
  return query
    with listed as materialized (
      select r.subject from books.statement_row r where r.provider = market and r.at >= since
       union
      select d.subject from books.statement_difference d
       where d.provider = market and d.state in ('open', 'claimed') and d.kind <> 'balance'
    ), attempts as materialized (
      select a.* from delivery.attempts_at(market, since, till, array(
        select l.subject::uuid from listed l where l.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')) a
    ), paid as materialized (
      select p.* from ledger.paid_under(array(select a.id::text from attempts a)) p
    ), settled as (
      select d.subject, sum(d.settled_sun)::bigint as amount from books.statement_difference d
       where d.provider = market and d.state in ('accepted', 'dismissed') group by d.subject
    ), theirs as (
      select s.subject, min(r.order_id) as order_id, min(r.at) as at,
             coalesce(sum(r.amount_sun) filter (where r.amount_sun > 0), 0)::bigint as charged,
             coalesce(-sum(r.amount_sun) filter (where r.amount_sun < 0), 0)::bigint as refunded,
             count(r.entry_id) as entries, count(*) filter (where r.amount_sun > 0) as charges
        from (select l.subject from listed l union select a.id::text from attempts a) s
        left join books.statement_row r on r.provider = market and r.subject = s.subject
       group by s.subject
    )
    select t.subject, a.id, coalesce(a.order_id, t.order_id), coalesce(a.called_at, t.at), t.charged, t.refunded,
           t.entries, t.charges, coalesce(p.amount_sun, 0), coalesce(s.amount, 0), coalesce(a.is_open, false)
      from theirs t
      left join attempts a on a.id::text = t.subject
      left join paid p on p.reference_id = t.subject
      left join settled s on s.subject = t.subject;
end $$;

revoke execute on function books.match_charges(text, timestamptz), books.statement_subjects(text, timestamptz, timestamptz)
  from public;
grant execute on function books.match_charges(text, timestamptz), books.statement_subjects(text, timestamptz, timestamptz)
  to ergon_app;
