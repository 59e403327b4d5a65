-- Old rows are found by their ids, which begin with their time. A block range index does not shrink its ranges
-- when space is used again: after a month every range held rows of every age, and each look read the whole table.
drop index webhooks.delivery_by_age;
drop index webhooks.message_by_age;
