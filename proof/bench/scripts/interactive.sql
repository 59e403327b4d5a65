-- One purchase as an interactive transaction: what orders.buy_one asks and writes, one statement each, in
-- the fewest round trips that a client can do it in. The key is looked for by the statement after the
-- one that locks it, since an older snapshot could miss a twin; that is the update which spends, and
-- which locks the account. The service locks it before, so it does a little more.
-- (pgbench takes every colon before a word for a variable, in a string too.)
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
insert into ledger.movement (kind, reference_id, id, client_id, version, balance_after_sun, debit, credit,
                             amount_sun, description, created_at)
values ('purchase', :order_id, :movement_id, :client, :version, :balance, 'client', 'escrow' || ':' || 'orders',
        :price, :amount || ' Energy for ' || bench.receiver(), now());
with written as (
  insert into events.event (id, account_id, type, subject, created_at, trace, data)
  values (:event_id, :client, 'balance.changed', :movement_id, now(), :trace,
          json_build_object('entry_id', :movement_id::uuid, 'entry_type', 'purchase', 'amount_sun', -:price::bigint,
                            'balance_sun', :balance::bigint, 'reference_id', :order_id::text))
)
insert into events.pending (reader, event_id, event_created_at, account_id)
select i.reader, :event_id, now(), :client
  from events.interest i where i.account_id = :client and 'balance.changed' = any (i.types);
insert into orders.purchase_order (id, account_id, number, status, resource_amount, receiver_address, buyer_address,
                                   price_sun, source, trace, created_at, updated_at)
select :order_id, :client, coalesce(max(o.number), 0) + 1, 'PENDING', :amount, bench.receiver(), '', :price, 'api',
       :trace, now(), now()
  from orders.purchase_order o where o.account_id = :client;
insert into orders.idempotency_key (account_id, key, order_id, response, created_at)
values (:client, 'pgbench-' || :order_id, :order_id,
        format('{"order_id":"%s","status":"PENDING","total_price_sun":%s,"total_price_trx":"%s","balance_after_sun":%s}',
               :order_id::text, :price::text, bench.price_trx(), :balance::text), now());
commit;
