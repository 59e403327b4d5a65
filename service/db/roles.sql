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

-- What only an administrator sees of the server, without texts of statements, for doctor and metrics.
-- Another administrator than the one who made them may not replace them; they stay as they are.
do $$
begin
  create or replace function extensions.standbys()
  returns table (name text, state text, is_awaited boolean, lag_bytes bigint, lag_seconds double precision)
  language sql volatile security definer set search_path = '' as $body$
    select r.application_name, r.state, r.sync_state in ('sync', 'quorum'),
           greatest(0, pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), r.replay_lsn))::bigint,
           case when r.replay_lsn >= pg_catalog.pg_current_wal_lsn() then 0
                else extract(epoch from greatest(r.replay_lag, pg_catalog.clock_timestamp() - r.reply_time)) end
      from pg_catalog.pg_stat_replication r
  $body$;
  create or replace function extensions.hanging_sessions()
  returns table (kind text, role text, application text, seconds double precision)
  language sql volatile security definer set search_path = '' as $body$
    select case when a.wait_event = 'SyncRep' then 'commit' else 'idle' end, a.usename::text, a.application_name,
           extract(epoch from pg_catalog.clock_timestamp() - a.state_change)
      from pg_catalog.pg_stat_activity a
     where a.datname = pg_catalog.current_database()
       and (a.wait_event = 'SyncRep' or a.state like 'idle in transaction%')
  $body$;
  create or replace function extensions.server_folder() returns text
  language plpgsql stable security definer set search_path = '' as $body$
    begin
      return pg_catalog.current_setting('data_directory');
    exception when insufficient_privilege then
      return null;
    end
  $body$;
  revoke all on function extensions.standbys(), extensions.hanging_sessions(), extensions.server_folder() from public;
  grant execute on function extensions.standbys(), extensions.hanging_sessions(), extensions.server_folder()
    to ergon_app, ergon_api;
exception when insufficient_privilege then
  null;
end $$;
