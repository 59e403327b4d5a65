-- The server's timeline when the last position was taken. A restore to an earlier moment begins another one:
-- positions after the counter may have been given to accounts that are lost.
alter table addresses.counter add column timeline bigint;
update addresses.counter set timeline = ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint;
alter table addresses.counter alter column timeline set not null;
