-- What the chain has on an address is what our books have and a difference, which is nearly always 0. It is
-- read from a node for all addresses in turn.
alter table deposits.holding
  -- On the chain more than in our books, when it was last read.
  add column difference_sun bigint not null default 0,
  add column read_at timestamptz,
  -- In this block something happened to the address that our books do not follow: it is read when the block is solid.
  add column look_block bigint;
create index holding_differs on deposits.holding (read_at, address) where difference_sun <> 0;
create index holding_to_look_at on deposits.holding (look_block, address) where look_block is not null;

-- How far the reading of all addresses has come.
create table deposits.pass (
  only_row boolean primary key default true check (only_row),
  -- Addresses up to this position are read.
  position bigint not null default -1,
  -- Of them, how many have money; and how many had in the last whole pass.
  counted bigint not null default 0,
  held bigint not null default 0,
  passes bigint not null default 0
);
insert into deposits.pass default values;
grant select, update on deposits.pass to ergon_app;
