-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table agent.terms is 'Kept for ever: one row.';
comment on table agent.client is 'Kept for ever: one row per account.';
comment on table agent.config is 'Kept for ever: payments name it, and customers may still pay to its address.';
comment on table agent.config_version is 'Kept 90 days after it was replaced: a payment is judged by the offers around its block, and says itself by which it was sold.';
comment on table agent.payment is 'Kept for ever: its unique transfer guards against a second sale.';
comment on table agent.dust is 'Kept 90 days: transfers too small to be payments, for questions of customers; nothing is counted from them.';
