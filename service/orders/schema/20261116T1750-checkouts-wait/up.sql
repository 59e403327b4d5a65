-- References of deposits that pay this checkout in time and cannot be spent before their blocks are
-- final. While there is one, the checkout does not expire.
alter table orders.checkout add column waits_for text[] not null default '{}';
