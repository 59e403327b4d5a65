-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table audit.finding is 'Kept for ever: evidence, and there should be none.';
comment on table audit.checkpoint is 'Kept for ever: one row per account, for the last release.';
comment on table audit.progress is 'Kept for ever: one row per check.';
comment on table audit.proof is 'Kept for ever: one row per invariant.';
comment on table audit.seal is 'Kept for ever: each later pass compares 2,000 movements with it.';
