-- Orders that wait for a transfer of exactly this amount. The order carries the price; the amount is
-- the price and a few SUN that tell the account's open checkouts apart.
create table orders.checkout (
  order_id uuid primary key references orders.purchase_order (id),
  account_id uuid not null references identity.account (id),
  amount_sun bigint not null check (amount_sun > 0),
  -- A transfer counts when its block is not later than this.
  expires_at timestamptz not null,
  open boolean not null default true
);
create unique index open_checkouts_differ_in_amount on orders.checkout (account_id, amount_sun) where open;
create index checkout_by_expiry on orders.checkout (expires_at) where open;

grant select, insert, update on orders.checkout to ergon_app;
