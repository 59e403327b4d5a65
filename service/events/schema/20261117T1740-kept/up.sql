-- Events of earlier days may be gone. Nothing was dropped before this migration.
create table events.kept (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null default '-infinity'
);
insert into events.kept default values;
