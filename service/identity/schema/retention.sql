-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table identity.account is 'Kept for ever: money belongs to it.';
comment on table identity.app_user is 'Kept for ever: keys name it.';
comment on table identity.api_key is 'Kept for ever: a revoked key stays in the list of its account.';
comment on table identity.revision is 'Kept for ever: one row.';
comment on table identity.sign_up is 'Kept for ever: a login finds its account by it.';
comment on table identity.wallet_challenge is 'Kept 1 day after its end: normally the signature takes it out.';
comment on table identity.invitation is 'Kept for ever: who let whom in; few rows.';
comment on table identity.session_secret is 'Kept for ever: one row.';
comment on table better_auth."user" is 'Kept for ever: one row per person.';
comment on table better_auth."account" is 'Kept for ever: one row per person and way to sign in.';
comment on table better_auth."session" is 'Kept 1 day after its end: an ended session opens nothing; a day allows for clocks that differ.';
comment on table better_auth."verification" is 'Kept 1 day after its end: an ended link opens nothing; a day allows for clocks that differ.';
comment on table better_auth."twoFactor" is 'Kept for ever: one row per person.';
comment on table identity.client_group is 'Kept for ever: prices and reports name it.';
comment on table identity.client_revision is 'Kept for ever: one row.';
comment on table identity.client_limit is 'Kept for ever: one row per account that has limits of its own.';
comment on table identity.client_note is 'Kept for ever: why a client was treated as it was.';
