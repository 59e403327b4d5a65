-- What cursors of GET /transactions are sealed with. Written once, by whichever node needs it first,
-- so that all nodes and all restarts accept each other's cursors without a setting.
create table ledger.cursor_secret (
  only_row boolean primary key default true check (only_row),
  secret bytea not null check (length(secret) = 32)
);
