-- The end of both interactive scripts: order, movement with its event, and key, from what they have found out.
-- (pgbench takes every colon before a word for a variable, in a string too.)
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
