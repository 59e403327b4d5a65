-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table account.summary is 'Kept while its account wants summaries: one row per account.';
