-- Nobody books while an index is built in a transaction. Where that takes too long, it is made beforehand,
-- concurrently and under this name: docs/operating/upgrade.md.
create unique index if not exists movement_id_is_unique on ledger.movement (id);
alter table ledger.movement add constraint movement_id_is_unique unique using index movement_id_is_unique;
