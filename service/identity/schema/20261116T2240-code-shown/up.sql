-- When a session last showed a code of the authenticator app, by the wall clock.
alter table better_auth."session" add column "codeAt" timestamptz;
