create table orders.purchase_order (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  -- 1, 2, 3 … per account without a gap: any page and the total of a list come from it.
  number bigint not null,
  status text not null check (status in ('PENDING', 'PROCESSING', 'AWAITING_PAYMENT', 'COMPLETED', 'FAILED')),
  resource_amount bigint not null check (resource_amount > 0),
  receiver_address text not null,
  buyer_address text not null,
  price_sun bigint not null check (price_sun > 0),
  source text not null check (source in ('api', 'workspace', 'agent', 'checkout')),
  trace text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  error_message text,
  delegation_txids text[] not null default '{}',
  constraint orders_of_an_account_are_numbered unique (account_id, number),
  constraint only_failed_orders_have_an_error check ((status = 'FAILED') = (error_message is not null)),
  constraint completed_has_its_delegations check (
    (status = 'COMPLETED') = (completed_at is not null)
    and (status = 'COMPLETED') = (cardinality(delegation_txids) > 0))
);
create index order_pending on orders.purchase_order (id) where status = 'PENDING';

-- Accepted purchases by key. The stored text is the answer, byte for byte.
create table orders.idempotency_key (
  account_id uuid not null references identity.account (id),
  key text not null,
  order_id uuid not null,
  response text not null,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index key_by_age on orders.idempotency_key (created_at);

-- The kill switch of selling, read by every purchase.
create table orders.selling (
  only_row boolean primary key default true check (only_row),
  enabled boolean not null default true,
  reason text
);
insert into orders.selling default values;

-- States move only along the contract's table.
create function orders.check_transition() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (old.status, new.status) not in (
    ('PENDING', 'PROCESSING'), ('PROCESSING', 'COMPLETED'), ('PROCESSING', 'FAILED'),
    ('AWAITING_PAYMENT', 'PENDING'), ('AWAITING_PAYMENT', 'FAILED')) then
    raise exception 'order % cannot go from % to %', old.id, old.status, new.status
      using constraint = 'order_transition_allowed';
  end if;
  return new;
end $$;
create trigger order_transition_allowed before update of status on orders.purchase_order
  for each row when (old.status is distinct from new.status) execute function orders.check_transition();

grant usage on schema orders to ergon_app;
grant select, insert, update on orders.purchase_order, orders.idempotency_key to ergon_app;
grant delete on orders.idempotency_key to ergon_app;
grant select, update on orders.selling to ergon_app;
