alter table identity.api_key add column note text not null default '', add column last_used_at timestamptz;
