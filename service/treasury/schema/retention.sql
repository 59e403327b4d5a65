-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table treasury.hot_wallet is 'Kept for ever: one row.';
comment on table treasury.float is 'Kept for ever: one row per marketplace.';
comment on table treasury.transfer is 'Kept for ever: a transaction of ours without a row is an outflow.';
comment on table treasury.turn is 'Kept for ever: one row.';
comment on table treasury.waiting is 'Kept while a transfer waits: one row per purpose, at most.';
