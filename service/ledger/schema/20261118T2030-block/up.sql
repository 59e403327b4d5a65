-- A blocked client buys nothing and keeps its money. It is a column of this row because every purchase locks and reads
-- the row anyway: a purchase either holds the lock before the block, or sees it.
alter table ledger.account
  add column blocked_at timestamptz,
  add column block_reason text,
  add constraint a_block_has_a_reason check ((blocked_at is null) = (block_reason is null));
create index account_blocked on ledger.account (id) where blocked_at is not null;
