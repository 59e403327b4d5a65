-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table delivery.request is 'Kept for ever: the auditor proves an order by it (M11).';
comment on table delivery.part is 'Kept for ever: the auditor proves an order by it (M11).';
comment on table delivery.attempt is 'Kept for ever: its transaction guards against delivering twice.';
comment on table delivery.delegation is 'Kept for ever: a delegation counts for one order and no other.';
comment on table delivery.claim is 'Kept for ever: a transaction is named for one attempt and no other.';
comment on table delivery.scorecard is 'Kept for ever: one row.';
comment on table delivery.scorecard_hour is 'Kept 31 days: the longest window has 30 days.';
comment on table delivery.sighting is 'Kept 2 days: twice as long as a receiver is watched for an attempt.';
comment on table delivery.delegator is 'Kept for ever: few rows per marketplace.';
comment on table delivery.undecided is 'Kept for ever: who decided what about money, and on which evidence.';
comment on table delivery.standing is 'Kept for ever: one row per covered address.';
comment on table delivery.standing_move is 'Kept for ever: a transaction of our stake without a row is an outflow, also in a block that is read again.';
comment on table delivery.foreign_reclaim is 'Kept for ever: its txid guards against a second credit; few rows.';
comment on table delivery.taken_back is 'Kept for ever: what was taken from an order, and by whom; few rows.';
comment on table delivery.network_fee is 'Kept for ever: its txid guards against booking a fee twice.';
