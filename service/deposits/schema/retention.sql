-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table deposits.deposit is 'Kept for ever: its unique transfer guards against a second credit.';
comment on table deposits.token is 'Kept for ever: a client may ask years later what became of a token.';
comment on table deposits.holding is 'Kept for ever: one row per address.';
comment on table deposits.sweep is 'Kept for ever: a transaction of ours without a row is an outflow.';
comment on table deposits.payout is 'Kept for ever: money that left, and by whose word.';
comment on table deposits.switch is 'Kept for ever: one row.';
comment on table deposits.reconciliation is 'Kept for ever: one row.';
comment on table deposits.pass is 'Kept for ever: one row.';
