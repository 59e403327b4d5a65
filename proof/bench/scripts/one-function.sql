-- One purchase as one call of the single-row function, with everything it checks.
\set account random(1, :accounts)
select outcome, response, balance
  from orders.buy_one(uuidv7(), bench.account_of(:account::int), 'pgbench-' || uuidv7(), false, :amount,
                      bench.receiver(), '', :price, bench.price_trx(), 'api', now(), uuidv7()::text,
                      :amount || ' Energy for ' || bench.receiver(), uuidv7(), uuidv7(), uuidv7());
