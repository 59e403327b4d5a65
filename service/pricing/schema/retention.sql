-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table pricing.terms is 'Kept for ever: one row.';
comment on table pricing.discount is 'Kept for ever: one row per account.';
comment on table pricing.plan is 'Kept for ever: subscriptions name it.';
comment on table pricing.revision is 'Kept for ever: one row.';
