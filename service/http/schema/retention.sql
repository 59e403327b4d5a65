-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table http.api_request is 'Kept 7 days, and at most the last 10,000 of an account: clients see here what their programs were answered.';
comment on table http.rate_window is 'Kept for ever: one row per account, and none after a crash.';
comment on table http.node is 'Kept while the process reports: the next report of another process deletes it.';
