-- What a client gets of each order of those who signed up through it; 0: nothing.
create table orders.referral_terms (
  only_row boolean primary key default true check (only_row),
  basis_points bigint not null default 0 check (basis_points between 0 and 5000)
);
insert into orders.referral_terms default values;
grant select, update on orders.referral_terms to ergon_app;

-- Commissions, written with the end of their order, by the terms of that moment. Paid by a loop: the balance of another
-- client is not locked while an order ends.
create table orders.commission (
  order_id uuid primary key references orders.purchase_order (id),
  -- Who gets it.
  account_id uuid not null,
  amount_sun bigint not null check (amount_sun > 0),
  basis_points bigint not null,
  created_at timestamptz not null,
  paid_at timestamptz
);
create index commission_to_pay on orders.commission (order_id) where paid_at is null;
create index commission_by_account on orders.commission (account_id);
grant select, insert, update on orders.commission to ergon_app;
