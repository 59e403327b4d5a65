-- Which payout a transaction pays, and in which attempt: the signer compares both with its own file.
alter table signing.request add column payout_id uuid;
alter table signing.request add column attempt bigint check (attempt > 0);
alter table signing.request add constraint attempt_of_a_payout check ((payout_id is null) = (attempt is null));
create index request_of_payout on signing.request (payout_id) where payout_id is not null;

-- Approvals by operators' keys. The service carries them; the signer verifies each signature by the
-- keys in its own file, and believes no name that is written here.
create table signing.approval (
  payout_id uuid not null,
  attempt bigint not null check (attempt > 0),
  key text not null check (key ~ '^[0-9a-f]{64}$'),
  approved_by text not null,
  ends_at timestamptz not null,
  signature text not null check (signature ~ '^[0-9a-f]{128}$'),
  approved_at timestamptz not null,
  constraint one_approval_per_key primary key (payout_id, attempt, key)
);

-- Payouts of which no further attempt may be signed. The signer writes recorded_at when its file has it.
create table signing.cancellation (
  payout_id uuid primary key,
  asked_at timestamptz not null,
  recorded_at timestamptz
);
create index cancellation_not_recorded on signing.cancellation (asked_at, payout_id) where recorded_at is null;

grant select, insert, update on signing.approval to ergon_app;
grant select on signing.approval to ergon_signer;
grant select, insert (payout_id, asked_at) on signing.cancellation to ergon_app;
grant select, update (recorded_at) on signing.cancellation to ergon_signer;
