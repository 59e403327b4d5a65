-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table events.event is 'Kept 30 days: as long as a webhook can deliver it again; movements and orders say the same for ever.';
comment on table events.kept is 'Kept for ever: one row.';
comment on table events.pending is 'Kept while no reader has taken it: at most as long as its event.';
comment on table events.interest is 'Kept while a reader wants the events: at most two rows per account.';
