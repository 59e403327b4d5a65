-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table ledger.account is 'Kept for ever: money.';
comment on table ledger.movement is 'Kept for ever: its unique keys guard against booking twice; never partitioned.';
comment on table ledger.kind is 'Kept for ever: movements name it.';
comment on table ledger.own_account is 'Kept for ever: movements name it.';
comment on table ledger.cursor_secret is 'Kept for ever: one row.';
comment on table ledger.sums is 'Kept for ever: one row.';
