-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table operator.action is 'Kept for ever: the log of what operators did.';
comment on table operator.outcome is 'Kept for ever: the log of what operators did.';
comment on table operator.adjustment is 'Kept for ever: money, and by whose word.';
comment on table operator.adjuster is 'Kept for ever: one row per operator.';
