create table identity.account (
  id uuid primary key,
  name text not null,
  wallet_address text not null default '',
  created_at timestamptz not null
);

-- The person behind an account's keys. Removing the person disables the keys, not the money.
create table identity.app_user (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  created_at timestamptz not null,
  removed_at timestamptz
);
create index app_user_by_account on identity.app_user (account_id);

create table identity.api_key (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  user_id uuid not null references identity.app_user (id),
  key_hash text not null constraint one_key_per_hash unique check (key_hash ~ '^[0-9a-f]{64}$'),
  last_four text not null check (length(last_four) = 4),
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index api_key_by_account on identity.api_key (account_id);

-- Counts every change that takes a right away. Nodes read it twice a second and drop their caches.
create table identity.revision (
  only_row boolean primary key default true check (only_row),
  number bigint not null default 0
);
insert into identity.revision default values;

grant usage on schema identity to ergon_app;
grant select, insert, update on identity.account, identity.app_user, identity.api_key to ergon_app;
grant select, update on identity.revision to ergon_app;
