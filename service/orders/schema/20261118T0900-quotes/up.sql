-- Prices that are held for a minute. A quote is redeemed by one order, in the transaction of its purchase.
create table orders.quote (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  resource_amount bigint not null check (resource_amount > 0),
  price_sun bigint not null check (price_sun > 0),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  order_id uuid,
  constraint an_order_redeems_one_quote unique (order_id)
);
create index quote_unredeemed on orders.quote (account_id, expires_at) where order_id is null;
create index quote_by_age on orders.quote (expires_at);
grant select, insert, update, delete on orders.quote to ergon_app;
