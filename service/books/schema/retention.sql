-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table books.checkpoint is 'Kept for ever: one row.';
comment on table books.daily is 'Kept for ever: what was reported.';
comment on table books.daily_total is 'Kept for ever: what was earned on each day; a row per product, provider and line.';
comment on table books.client_month is 'Kept for ever: what was earned with each client in each month.';
comment on table books.late is 'Kept for ever: says for which day a late movement counts; few rows.';
comment on table books.delivery_time is 'Kept for ever: a few rows per day.';
comment on table books.day is 'Kept for ever: one row per day.';
comment on table books.closed_month is 'Kept for ever: who closed which month, and why.';
comment on table books.statement_source is 'Kept for ever: one row per marketplace.';
comment on table books.statement_row is 'Kept 90 days: marketplaces change an order within days; longer while a difference of it is open.';
comment on table books.statement_day is 'Kept for ever: one row per marketplace and day.';
comment on table books.statement_difference is 'Kept for ever: who decided what about money; few rows.';
