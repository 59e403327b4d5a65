-- Due summaries are taken in this order, some at a time.
create index summary_in_order on account.summary (last_day, account_id);
drop index account.summary_by_day;
