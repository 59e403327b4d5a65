-- Since when a request is past its deadline without a later block having been read, by the database's
-- clock: nobody waits for that block for ever.
alter table delivery.request add column overdue_since timestamptz;
