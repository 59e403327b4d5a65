-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table status.announcement is 'Kept for ever: what clients were told; few rows.';
comment on table status.day is 'Kept 90 days: the status page shows as many.';
comment on table status.dismissal is 'Kept 400 days: an announcement with an end is shown for a year at most.';
comment on table status.incident is 'Kept for ever: what went wrong and when; few rows.';
comment on table status.incident_update is 'Kept for ever: what clients were told; few rows.';
comment on table status.watch is 'Kept for ever: one row.';
