-- Versions of offers that were replaced before this moment may be gone.
alter table agent.terms add column versions_since timestamptz not null default '-infinity';
grant delete on agent.config_version to ergon_app;
create index dust_by_age on agent.dust (created_at);
