-- The kill switch of signing. The service writes it, the signer reads it before each batch.
create table signing.switch (
  only_row boolean primary key default true check (only_row),
  enabled boolean not null default true,
  reason text not null default ''
);
insert into signing.switch default values;
grant select, update on signing.switch to ergon_app;
grant select on signing.switch to ergon_signer;
