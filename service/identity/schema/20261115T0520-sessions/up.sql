-- People who sign in. These tables are better-auth's, in its own schema and under its own names; a
-- test compares them with what the library wants. Only its pool has this schema on its search path.
create schema better_auth;
create table better_auth."user" (
  "id" text primary key,
  "name" text not null,
  "email" text not null unique,
  "emailVerified" boolean not null,
  "image" text,
  "createdAt" timestamptz not null,
  "updatedAt" timestamptz not null,
  "twoFactorEnabled" boolean,
  "role" text not null check ("role" in ('client', 'operator')),
  -- text as the library writes it; identity.sign_up is what binds it to an account.
  "ergonAccount" text,
  constraint a_client_has_an_account check (("role" = 'client') = ("ergonAccount" is not null))
);
create table better_auth."session" (
  "id" text primary key,
  "expiresAt" timestamptz not null,
  "token" text not null unique,
  "createdAt" timestamptz not null,
  "updatedAt" timestamptz not null,
  "ipAddress" text,
  "userAgent" text,
  "userId" text not null references better_auth."user" ("id") on delete cascade
);
create table better_auth."account" (
  "id" text primary key,
  "accountId" text not null,
  "providerId" text not null,
  "userId" text not null references better_auth."user" ("id") on delete cascade,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" timestamptz,
  "refreshTokenExpiresAt" timestamptz,
  "scope" text,
  "password" text,
  "createdAt" timestamptz not null,
  "updatedAt" timestamptz not null
);
create table better_auth."verification" (
  "id" text primary key,
  "identifier" text not null,
  "value" text not null,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null,
  "updatedAt" timestamptz not null
);
create table better_auth."twoFactor" (
  "id" text primary key,
  "secret" text not null,
  "backupCodes" text not null,
  "userId" text not null references better_auth."user" ("id") on delete cascade,
  "verified" boolean,
  "failedVerificationCount" integer,
  "lockedUntil" timestamptz
);
create index "session_userId_idx" on better_auth."session" ("userId");
create index "account_userId_idx" on better_auth."account" ("userId");
create index "verification_identifier_idx" on better_auth."verification" ("identifier");
create index "twoFactor_secret_idx" on better_auth."twoFactor" ("secret");
create index "twoFactor_userId_idx" on better_auth."twoFactor" ("userId");
grant usage on schema better_auth to ergon_app;
grant select, insert, update, delete on all tables in schema better_auth to ergon_app;

-- Which account a login belongs to: an e-mail address in lower case, or a wallet's. Written with the
-- account, before the person: a sign-up that broke off finds its account again, and never makes two.
create table identity.sign_up (
  login text primary key,
  account_id uuid not null unique references identity.account (id),
  -- The code as it was typed; whose it is, is asked when a commission is paid.
  referral_code text not null default '',
  created_at timestamptz not null
);

-- What others name when they sign up through this client.
alter table identity.account add column referral_code text not null default '';
create unique index one_account_per_referral_code on identity.account (referral_code) where referral_code <> '';
create unique index one_account_per_wallet on identity.account (wallet_address) where wallet_address <> '';

alter table identity.api_key add column name text not null default '';

-- A text that a wallet is asked to sign. It is taken out by the first signature that is shown for it.
create table identity.wallet_challenge (
  nonce text primary key,
  address text not null,
  -- The account to link the wallet to; null: sign in.
  account_id uuid references identity.account (id),
  message text not null,
  expires_at timestamptz not null
);
create index challenge_by_expiry on identity.wallet_challenge (expires_at);

-- Signs the cookies. One for all nodes.
create table identity.session_secret (
  only_row boolean primary key default true check (only_row),
  secret text not null
);

grant select, insert on identity.sign_up, identity.session_secret to ergon_app;
grant select, insert, delete on identity.wallet_challenge to ergon_app;
