-- Groups that operators put clients into, such as those with prices of their own. A group keeps its name: prices
-- and reports name it.
create table identity.client_group (
  name text primary key constraint group_name_is_a_word check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$' and name <> 'none'),
  created_at timestamptz not null
);
grant select, insert on identity.client_group to ergon_app;

-- Null: in no group.
alter table identity.account add column group_name text constraint group_is_known references identity.client_group (name);
create index account_in_group on identity.account (group_name, id) where group_name is not null;

-- Counts every change of what processes keep in memory about clients. They look at it each second, so that a change
-- reaches all of them.
create table identity.client_revision (
  only_row boolean primary key default true check (only_row),
  number bigint not null default 0
);
insert into identity.client_revision default values;
grant select, update on identity.client_revision to ergon_app;

create function identity.note_client() returns trigger
language plpgsql set search_path = '' as $$
begin
  update identity.client_revision set number = number + 1;
  return null;
end $$;
create trigger groups_are_noticed after update of group_name on identity.account
  for each row when (old.group_name is distinct from new.group_name) execute function identity.note_client();
