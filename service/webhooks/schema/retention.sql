-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table webhooks.owner is 'Kept for ever: one row per account.';
comment on table webhooks.endpoint is 'Kept until it was removed and its deliveries are deleted: deliveries are listed with it.';
comment on table webhooks.message is 'Kept 31 days after it was last queued: longer than its deliveries, which are listed with it.';
comment on table webhooks.delivery is 'Kept 30 days: clients list them and send them again.';
comment on table webhooks.queue is 'Kept while its webhook is there: one row per webhook.';
comment on table webhooks.replay is 'Kept 30 days: as long as the deliveries it made.';
comment on table webhooks.replay_event is 'Kept while its replay runs: each is deleted when it is queued.';
comment on table webhooks.sending is 'Kept for ever: one row.';
