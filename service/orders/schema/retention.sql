-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table orders.purchase_order is 'Kept for ever: its unique keys guard money; never partitioned.';
comment on table orders.idempotency_key is 'Kept 25 hours: a key replays for 24 hours, and clocks of nodes differ.';
comment on table orders.quote is 'Kept 25 hours: it counts for an hour after its end, and clocks of nodes differ.';
comment on table orders.selling is 'Kept for ever: one row.';
comment on table orders.checkout is 'Kept for ever: which transfer pays an order.';
comment on table orders.folded is 'Kept for ever: one row per account.';
comment on table orders.pair is 'Kept for ever: finds the orders of an address, which stay for ever.';
comment on table orders.reclaim_credit is 'Kept for ever: guards against a second credit for one reclaim; few rows.';
comment on table orders.filed_order is 'Kept for ever: finds the orders of an address, which stay for ever.';
comment on table orders.referral_terms is 'Kept for ever: one row.';
comment on table orders.commission is 'Kept for ever: money was paid for it.';
