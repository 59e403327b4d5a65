-- Since when a checkout is paid by money that is final, and is not sold because the scanner is behind.
alter table orders.checkout add column held_since timestamptz;
create index checkout_held on orders.checkout (held_since) where held_since is not null;
