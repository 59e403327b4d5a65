-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table addresses.address is 'Kept for ever: whoever knows an old address may still pay to it, and no position is used twice.';
comment on table addresses.counter is 'Kept for ever: one row.';
