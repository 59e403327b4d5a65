-- Nobody buys while it is built: about a second for each million events. An operator can build the indexes of the
-- partitions before (docs/operating/upgrade.md); they become parts of this one.
set local lock_timeout = '250ms';
create index if not exists event_of_account on events.event (account_id, written_by, id);
