-- Sessions and verifications that have ended are deleted, oldest first.
create index "session_expiresAt_idx" on better_auth."session" ("expiresAt");
create index "verification_expiresAt_idx" on better_auth."verification" ("expiresAt");
