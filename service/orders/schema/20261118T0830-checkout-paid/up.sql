-- When the transfer bought the order; empty until then, and of those that were paid before this release.
alter table orders.checkout add column paid_at timestamptz;
