-- The operator's terms of the program, read by every change.
create table agent.terms (
  only_row boolean primary key default true check (only_row),
  enabled boolean not null default true,
  min_balance_sun bigint not null default 100000000 check (min_balance_sun >= 0),
  max_configs bigint not null default 20 check (max_configs >= 0),
  max_generated bigint not null default 5 check (max_generated >= 0),
  max_units_cap bigint not null default 10 check (max_units_cap > 0)
);
insert into agent.terms default values;

-- Whoever adds a configuration holds the row of its account, so that the limits hold in parallel.
create table agent.client (account_id uuid primary key references identity.account (id));

create table agent.config (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  public_id text not null constraint one_config_per_pay_page unique
    check (public_id ~ '^[1-9A-HJ-NP-Za-km-z]{22}$'),
  mode text not null check (mode in ('own', 'generated')),
  address text not null check (address ~ '^T[1-9A-HJ-NP-Za-km-z]{33}$'),
  -- The address is ours, or its key has signed for this account.
  proven boolean not null,
  title text not null check (char_length(title) <= 40),
  energy_per_unit bigint not null check (energy_per_unit > 0),
  base_payment_sun bigint not null check (base_payment_sun > 0 and base_payment_sun % 1000 = 0),
  max_units bigint not null check (max_units > 0),
  status text not null check (status in ('active', 'paused')),
  pause_reason text check (pause_reason in ('user', 'insufficient_balance', 'admin')),
  -- The dearest hour costs more than the base payment; said once until it is covered again.
  at_risk boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Another account has proved that the address is its own.
  displaced_at timestamptz,
  deleted_at timestamptz,
  constraint paused_has_a_reason check ((status = 'paused') = (pause_reason is not null)),
  constraint generated_is_never_deleted check (deleted_at is null or mode = 'own'),
  constraint displaced_is_paused check (displaced_at is null or (pause_reason is not null and pause_reason = 'admin'))
);
create unique index one_claim_per_address on agent.config (address) where deleted_at is null and displaced_at is null;
create index config_by_address on agent.config (address);
create index config_by_account on agent.config (account_id, id desc) where deleted_at is null;

-- What a configuration was at any moment: a payment is judged by the moment of its block.
create table agent.config_version (
  config_id uuid not null references agent.config (id),
  valid_from timestamptz not null,
  energy_per_unit bigint not null,
  base_payment_sun bigint not null,
  max_units bigint not null,
  active boolean not null,
  -- False once deleted or displaced: transfers to the address are then no payments to it.
  claims boolean not null,
  primary key (config_id, valid_from)
);

create function agent.keep_version() returns trigger
language plpgsql set search_path = '' as $$
declare
  last timestamptz;
begin
  select max(v.valid_from) into last from agent.config_version v where v.config_id = new.id;
  insert into agent.config_version (config_id, valid_from, energy_per_unit, base_payment_sun, max_units, active, claims)
  -- Two nodes' clocks may differ by a little; versions stand in the order in which they were made.
  values (new.id, greatest(new.updated_at, last), new.energy_per_unit, new.base_payment_sun, new.max_units,
          new.status = 'active', new.deleted_at is null and new.displaced_at is null)
  on conflict (config_id, valid_from) do update
    set energy_per_unit = excluded.energy_per_unit, base_payment_sun = excluded.base_payment_sun,
        max_units = excluded.max_units, active = excluded.active, claims = excluded.claims;
  return null;
end $$;
create trigger every_version_is_kept
  after insert or update of energy_per_unit, base_payment_sun, max_units, status, displaced_at, deleted_at
  on agent.config for each row execute function agent.keep_version();

create table agent.payment (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  config_id uuid not null,
  txid text not null,
  position bigint not null,
  payer text not null,
  amount_sun bigint not null check (amount_sun > 0),
  units bigint not null default 0 check (units >= 0),
  energy bigint not null default 0 check (energy >= 0),
  cost_sun bigint check (cost_sun > 0),
  status text not null check (status in ('processing', 'delivering', 'completed', 'failed', 'skipped')),
  skip_reason text,
  order_id uuid constraint one_payment_per_order unique,
  -- The block that holds the transfer; null while that block is orphaned.
  block_number bigint,
  block_time timestamptz not null,
  -- Past this block time the transfer can no longer be mined.
  expires_at timestamptz not null,
  -- Its block is solid, or it can never return.
  final_at timestamptz,
  orphaned boolean not null default false,
  -- The charge of an orphaned sale was given back.
  compensated boolean not null default false,
  try_after timestamptz not null,
  created_at timestamptz not null,
  decided_at timestamptz,
  constraint one_payment_per_transfer unique (txid, position),
  constraint skipped_has_a_reason check ((status = 'skipped') = (skip_reason is not null)),
  constraint sold_has_an_order check ((status in ('delivering', 'completed', 'failed')) = (order_id is not null)),
  constraint sold_has_a_cost check ((order_id is null) = (cost_sun is null) and (order_id is null) = (units = 0)),
  constraint energy_of_what_is_sold check ((energy > 0) = (status in ('delivering', 'completed'))),
  constraint decided_once check ((status = 'processing') = (decided_at is null))
);
create index payment_by_account on agent.payment (account_id, created_at desc, id desc);
create index payment_by_config on agent.payment (config_id, created_at desc, id desc);
create index payment_undecided on agent.payment (try_after, id) where status = 'processing';
create index payment_not_final on agent.payment (block_number) where final_at is null;
create index payment_to_compensate on agent.payment (id) where orphaned and not compensated and status = 'completed';

create function agent.check_transition() returns trigger
language plpgsql set search_path = '' as $$
begin
  if (old.status, new.status) not in (
    ('processing', 'delivering'), ('processing', 'skipped'), ('delivering', 'completed'), ('delivering', 'failed')) then
    raise exception 'payment % cannot go from % to %', old.id, old.status, new.status
      using constraint = 'payment_transition_allowed';
  end if;
  return new;
end $$;
create trigger payment_transition_allowed before update of status on agent.payment
  for each row when (old.status is distinct from new.status) execute function agent.check_transition();

-- Transfers too small to be payments.
create table agent.dust (
  txid text not null,
  position bigint not null,
  config_id uuid not null,
  payer text not null,
  amount_sun bigint not null,
  block_number bigint not null,
  created_at timestamptz not null,
  primary key (txid, position)
);
create index dust_by_block on agent.dust (block_number);

grant usage on schema agent to ergon_app;
grant select, update on agent.terms to ergon_app;
grant select, insert, update on agent.client, agent.config, agent.config_version, agent.payment to ergon_app;
grant select, insert, delete on agent.dust to ergon_app;
