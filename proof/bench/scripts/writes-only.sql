-- The writes of one purchase as an interactive transaction: the rows that orders.buy_many writes, one
-- statement each, in the fewest round trips that a client can do it in. It looks for no twin, no
-- replay and no selling switch, so it is not a purchase; it shows what the checks of one cost.
-- What is written follows from writes.sql.
\set account random(1, :accounts)
begin;
update ledger.account
   set balance_sun = balance_sun - :price, version = version + 1
 where id = bench.account_of(:account::int) and not overdrawn
   and balance_sun - reserved_sun - withheld_sun >= :price
returning id as client, balance_sun as balance, version as version, uuidv7() as order_id,
          uuidv7() as movement_id, uuidv7() as event_id, uuidv7() as trace
\gset
