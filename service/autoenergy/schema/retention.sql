-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table autoenergy.subscription is 'Kept for ever: charges name it.';
comment on table autoenergy.call is 'Kept for ever: its txid guards against billing a call twice.';
comment on table autoenergy.charge is 'Kept for ever: its unique reference guards against charging twice.';
comment on table autoenergy.stray is 'Kept for ever: what others took outlives the subscription; few rows.';
comment on table autoenergy.bar is 'Kept for ever: what was taken before it does not count again; few rows.';
comment on table autoenergy.switch is 'Kept for ever: one row.';
