-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table pricing.terms is 'Kept for ever: one row.';
comment on table pricing.discount is 'Kept for ever: one row per account.';
comment on table pricing.plan is 'Kept for ever: subscriptions name it.';
comment on table pricing.revision is 'Kept for ever: one row.';
comment on table pricing.follow_rule is 'Kept for ever: which clients paid by which rule; few rows.';
comment on table pricing.followed_price is 'Kept 100 days after it was replaced: what a rule''s clients were charged, for questions and experiments of 60 days.';
comment on table pricing.wholesale is 'Kept 100 days after it was replaced: a replay and an experiment work their costs out with it.';
