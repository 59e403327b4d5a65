-- When the transfer paid for the order. Null before that, and for orders that were paid before this column existed.
alter table orders.checkout add column paid_at timestamptz;
