-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table signing.request is 'Kept for ever: a transaction of our keys without a row is an outflow, also in a block that is read again.';
comment on table signing.answer is 'Kept for ever: what our keys have signed.';
comment on table signing.address is 'Kept for ever: one row per key.';
comment on table signing.switch is 'Kept for ever: one row.';
comment on table signing.outflow is 'Kept for ever: evidence, and there should be none.';
comment on table signing.approval is 'Kept for ever: who approved a payout.';
comment on table signing.cancellation is 'Kept for ever: a cancelled payout is never signed again.';
comment on table signing.payout_limit is 'Kept for ever: one row.';
comment on table signing.deposit_root is 'Kept for ever: one row.';
comment on table signing.treasury_destination is 'Kept while it is in the signer''s file: one row per destination.';
