-- The writes of one purchase as an interactive transaction: the rows that orders.buy_many writes, one
-- statement each, in the fewest round trips that a client can do it in. It looks for no twin, no
-- replay and no selling switch, so it is not a purchase; it shows what the checks of one cost.
-- (pgbench takes every colon before a word for a variable, in a string too.)
\set account random(1, :accounts)
begin;
update ledger.account
   set balance_sun = balance_sun - :price, version = version + 1
 where id = bench.account_of(:account::int) and not overdrawn
   and balance_sun - reserved_sun - withheld_sun >= :price
returning id as client, balance_sun as balance, version as version, uuidv7() as order_id,
          uuidv7() as movement_id, uuidv7() as event_id, uuidv7() as trace
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
