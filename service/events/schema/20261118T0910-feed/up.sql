-- The transaction that wrote an event. A reader that goes on from a place may pass an event only when no older
-- transaction runs that could still write before it. Events of earlier releases count as written by this migration.
-- Everybody who writes an event waits while this waits for a partition: it fails soon instead, and is run again.
set local lock_timeout = '250ms';
alter table events.event add column if not exists written_by xid8 not null default pg_current_xact_id();
