-- Run by the administrator before every migration. The operator sets the passwords of login roles;
-- the embedded server relies on the permissions of the socket's folder.
do $$
declare wanted record;
begin
  for wanted in
    select * from (values ('ergon_owner', false), ('ergon_app', true), ('ergon_api', true), ('ergon_signer', true)) as r(name, may_log_in)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted.name) then
      execute format('create role %I %s', wanted.name, case when wanted.may_log_in then 'login' else 'nologin' end);
    end if;
  end loop;
  execute format('grant ergon_owner to %I', current_user);
  execute format('grant connect on database %I to ergon_app, ergon_api, ergon_signer', current_database());
  execute format('grant create on database %I to ergon_owner', current_database());
end $$;
revoke create on schema public from public;

-- Extensions belong to the administrator. They have their own schema, because search_path is empty
-- and every name in SQL is qualified.
create schema if not exists extensions;
create extension if not exists pg_trgm schema extensions;
create extension if not exists btree_gin schema extensions;
grant usage on schema extensions to ergon_owner, ergon_app, ergon_api;
