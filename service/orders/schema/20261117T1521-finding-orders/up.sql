-- Nobody buys while an index is built in a transaction. Where that takes too long, the first one is made beforehand,
-- concurrently (docs/operating/upgrade.md).

-- The completed orders of an account on one day, for its daily summary.
create index if not exists order_by_completion on orders.purchase_order (account_id, completed_at) where completed_at is not null;

-- Orders of all accounts to one receiver, for operators. An index of the orders would cost every purchase.
create index pair_by_receiver on orders.pair (receiver_address);
