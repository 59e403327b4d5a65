-- Transactions that wait for a signature. The service writes what it wants signed; the signer,
-- under its own role, decides by its policy and writes the signature. Neither can do the other's part.
create table signing.request (
  id uuid primary key,
  purpose text not null,
  owner_address text not null,
  raw_bytes bytea not null,
  txid text not null constraint one_request_per_transaction unique,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  handed_over boolean not null default false
);
create index request_not_handed_over on signing.request (id) where not handed_over;

create table signing.answer (
  request_id uuid primary key references signing.request (id),
  state text not null check (state in ('signed', 'refused')),
  signature text,
  reason text,
  answered_at timestamptz not null,
  constraint signed_has_signature check ((state = 'signed') = (signature is not null))
);

-- Public addresses of the signer's keys, published by the signer itself.
create table signing.address (
  address text primary key check (address ~ '^41[0-9a-f]{40}$'),
  purpose text not null check (purpose in ('hot', 'stake')),
  position bigint not null,
  unique (purpose, position)
);

grant usage on schema signing to ergon_app, ergon_signer;
grant select, insert on signing.request to ergon_app;
grant update (handed_over) on signing.request to ergon_app;
grant select on signing.answer, signing.address to ergon_app;
grant select on signing.request to ergon_signer;
grant select, insert on signing.answer, signing.address to ergon_signer;
create index answer_by_time on signing.answer (answered_at) where state = 'signed';
