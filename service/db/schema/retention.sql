-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table db.clock is 'Kept for ever: one row.';
comment on table db.migration is 'Kept for ever: one row per migration.';
comment on table db.function_file is 'Kept for ever: one row per file.';
comment on table db.installed is 'Kept for ever: one row per version of a function file.';
comment on table db.put_aside is 'Kept while the thing fails: deleted when it is handled, or a minute after its next try.';
