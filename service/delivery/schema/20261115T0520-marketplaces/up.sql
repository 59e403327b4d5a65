-- Which offers were considered, which were taken and why; one entry per plan.
alter table delivery.request add column choice jsonb not null default '[]';

alter table delivery.part
  add column unit_price_sun bigint not null default 0,
  add column cost_sun bigint not null default 0;

alter table delivery.attempt
  -- What this attempt is to delegate, and for how much; the price becomes the marketplace's own word.
  add column energy bigint,
  add column cost_sun bigint not null default 0,
  add column unit_price_sun bigint not null default 0,
  -- The receiver as blocks have it, while delegations to it may be this attempt's.
  add column receiver_address text,
  add column order_id text,
  -- What the marketplace said last, and in which words.
  add column word text check (word in ('pending', 'delivered', 'failed', 'never')),
  add column told text,
  -- By the database's clock: when the call was made at the earliest, when to ask next.
  add column called_at timestamptz,
  add column look_at timestamptz,
  add column looks bigint not null default 0,
  -- The request ended without knowing what became of it.
  add column suspect_at timestamptz,
  -- The marketplace is to be asked to take its Energy back.
  add column give_back boolean not null default false,
  -- Own stake that is made to act late by the sandbox.
  add column act_at timestamptz;
update delivery.attempt a set energy = p.energy from delivery.part p where p.id = a.part_id;
alter table delivery.attempt
  alter column energy set not null,
  drop constraint attempt_state_check,
  -- sending: the call may or may not have left the house; sent: accepted, or our own transaction;
  -- unknown: the answer was lost; undecided: a person has to say.
  add constraint attempt_state_check check (state in
    ('sending', 'sent', 'unknown', 'undecided', 'delivered', 'partial', 'refused', 'absent'));
drop index delivery.one_open_attempt_per_part;
create unique index one_open_attempt_per_part on delivery.attempt (part_id)
  where state in ('sending', 'sent', 'unknown', 'undecided');
drop index delivery.attempt_open;
create index attempt_open on delivery.attempt (id)
  where state in ('sending', 'sent', 'unknown', 'undecided');
create index attempt_to_look_up on delivery.attempt (provider, look_at) where look_at is not null;
create index attempt_watched on delivery.attempt (receiver_address) where receiver_address is not null;
create index attempt_by_call on delivery.attempt (provider, called_at) where called_at is not null;
create index attempt_to_give_back on delivery.attempt (provider) where give_back;
create index attempt_to_act on delivery.attempt (act_at) where act_at is not null;
create index attempt_by_part on delivery.attempt (part_id);

-- Transactions that a marketplace or the chain named for an attempt. Never for two of them.
create table delivery.claim (
  txid text constraint one_claim_per_transaction primary key,
  attempt_id uuid not null references delivery.attempt (id)
);
create index claim_by_attempt on delivery.claim (attempt_id);

-- Delegations of Energy to receivers that an attempt is watched for, as blocks have them. A
-- marketplace may name its transaction only after the block was read.
create table delivery.sighting (
  txid text primary key,
  owner_address text not null,
  receiver_address text not null,
  stake_sun bigint not null,
  -- Null while the block that held it is orphaned.
  block_number bigint,
  seen_at timestamptz not null
);
create index sighting_by_receiver on delivery.sighting (receiver_address);
create index sighting_by_block on delivery.sighting (block_number);

-- Addresses that a marketplace has been seen to delegate from.
create table delivery.delegator (
  provider text not null,
  address text not null,
  primary key (provider, address)
);

-- What only a person can decide, with the evidence on one page.
create table delivery.undecided (
  attempt_id uuid primary key references delivery.attempt (id),
  reason text not null,
  evidence jsonb not null,
  since timestamptz not null,
  decision text check (decision in ('delivered', 'absent')),
  decided_by text,
  why text,
  decided_at timestamptz,
  constraint decided_by_somebody check (
    (decision is null) = (decided_by is null) and (decision is null) = (decided_at is null))
);
create index undecided_open on delivery.undecided (since) where decision is null;

alter table delivery.delegation add column provider text not null default 'own_stake';
alter table delivery.delegation alter column provider drop default;
-- A marketplace takes back by itself; the block tells by whom, from whom and how much.
create index delegation_of_marketplace on delivery.delegation (owner_address, receiver_address)
  where provider <> 'own_stake' and reclaimed_at is null;

grant select, insert, update, delete on delivery.claim, delivery.sighting to ergon_app;
grant select, insert, update on delivery.undecided to ergon_app;
grant select, insert on delivery.delegator to ergon_app;
