-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table staking.operation is 'Kept for ever: a transaction of ours without a row is an outflow.';
comment on table staking.standing_vote is 'Kept for ever: one row per stake.';
