-- Somebody is asked to become an operator. The link holds the token, of which only the hash is kept.
create table identity.invitation (
  id uuid primary key,
  token_hash bytea not null unique,
  email text not null check (email = lower(email)),
  role text not null check (role in ('viewer', 'support', 'finance', 'administrator')),
  invited_by text not null check (invited_by <> ''),
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  accepted_at timestamptz,
  revoked_at timestamptz,
  constraint not_accepted_and_revoked check (accepted_at is null or revoked_at is null)
);
create unique index one_open_invitation_per_address on identity.invitation (email)
  where accepted_at is null and revoked_at is null;
grant select, insert, update on identity.invitation to ergon_app;
