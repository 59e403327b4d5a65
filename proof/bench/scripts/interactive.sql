-- One purchase as an interactive transaction: what orders.buy_one asks and writes, one statement each, in
-- the fewest round trips that a client can do it in. The key is looked for by the statement after the
-- one that locks it, since an older snapshot could miss a twin; that is the update which spends, and
-- which locks the account. The service locks it before, so it does a little more.
-- What is written follows from writes.sql.
\set account random(1, :accounts)
begin;
select pg_try_advisory_xact_lock(orders.key_lock(i.client, 'pgbench-' || i.order_id)) as is_free, s.enabled as is_selling,
       i.client, i.order_id, i.movement_id, i.event_id, i.trace
  from orders.selling s,
       (select bench.account_of(:account::int) as client, uuidv7() as order_id, uuidv7() as movement_id,
               uuidv7() as event_id, uuidv7() as trace) i
 where s.only_row
\gset
update ledger.account
   set balance_sun = balance_sun - :price, version = version + 1
 where id = :client and not overdrawn
   and balance_sun - reserved_sun - withheld_sun >= :price
   and not exists (select from orders.idempotency_key k
                    where k.account_id = :client and k.key = 'pgbench-' || :order_id
                      and k.created_at > now() - interval '24 hours')
returning balance_sun as balance, version as version
\gset
