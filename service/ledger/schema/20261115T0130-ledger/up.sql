create table ledger.account (
  id uuid primary key references identity.account (id),
  balance_sun bigint not null default 0,
  reserved_sun bigint not null default 0 check (reserved_sun >= 0),
  withheld_sun bigint not null default 0 check (withheld_sun >= 0),
  version bigint not null default 0,
  overdrawn boolean not null default false,
  low_threshold_sun bigint check (low_threshold_sun > 0),
  constraint client_balance_not_negative check (balance_sun >= 0 or overdrawn)
);

-- One row per movement: it sums to zero by construction. `client` stands for the account in
-- client_id; every other name is an account of our own, whose sum is read from these rows.
create table ledger.movement (
  kind text not null,
  reference_id text not null,
  id uuid not null,
  client_id uuid,
  version bigint,
  balance_after_sun bigint,
  debit text not null,
  credit text not null,
  amount_sun bigint not null,
  description text not null,
  created_at timestamptz not null,
  constraint one_movement_per_fact primary key (kind, reference_id),
  constraint movements_of_a_client_are_numbered unique (client_id, version),
  constraint amount_is_positive check (amount_sun > 0),
  constraint two_sides check (debit <> credit),
  constraint client_side_is_complete check (
    (client_id is null) = (version is null)
    and (client_id is null) = (balance_after_sun is null)
    and (client_id is null) = (debit <> 'client' and credit <> 'client'))
);

-- An order ends once: either the Energy was delivered or the price came back.
create unique index delivered_or_refunded_once on ledger.movement (reference_id)
  where kind in ('deliver', 'refund');

grant usage on schema ledger to ergon_app;
grant select on ledger.account, ledger.movement to ergon_app;
