-- Keys that a browser or a device keeps for a person. We have the public half: reading this table signs nobody in.
create table identity.passkey (
  id uuid primary key,
  user_id text not null references better_auth."user" ("id") on delete cascade,
  name text not null,
  credential_id text not null constraint one_passkey_per_credential unique,
  public_key bytea not null,
  -- Of a device that counts its signatures; 0 where it does not. It only goes up.
  counter bigint not null check (counter >= 0),
  -- How the browser reaches the device, such as usb or internal; it is handed back to the browser.
  transports text not null,
  -- Whether it is copied to other devices of the person.
  synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkey_by_user on identity.passkey (user_id, id);

-- What a passkey is asked to sign. The first answer that is shown for it takes it out.
create table identity.passkey_challenge (
  challenge text primary key,
  entrance text not null check (entrance in ('client', 'operator')),
  purpose text not null check (purpose in ('sign_in', 'second_step', 'step_up', 'add')),
  -- Null only where the passkey itself says who it is.
  user_id text references better_auth."user" ("id") on delete cascade,
  session_id text,
  expires_at timestamptz not null,
  constraint bound_to_its_user check ((user_id is null) = (purpose = 'sign_in')),
  constraint bound_to_its_session check ((session_id is not null) = (purpose in ('step_up', 'add')))
);
create index passkey_challenge_by_expiry on identity.passkey_challenge (expires_at);

grant select, insert, update, delete on identity.passkey to ergon_app;
grant select, insert, delete on identity.passkey_challenge to ergon_app;
