-- How far business time is ahead of the wall clock. One row; only the sandbox moves it, forward.
create table db.clock (
  only_row boolean primary key default true check (only_row),
  ahead_ms bigint not null default 0 check (ahead_ms >= 0)
);
insert into db.clock default values;
grant select, update on db.clock to ergon_app;
grant select on db.clock to ergon_signer;
