-- The sandbox's own: how long a provider of ours waits before it acts. Stand-ins keep theirs themselves.
alter table providers.provider add column delay_ms bigint not null default 0 check (delay_ms >= 0);

-- When the question was asked to which this offer is the answer. What was sold later, it does not know of.
-- The default is for the release before this one, which does not say it.
alter table providers.offer add column asked_at timestamptz not null default clock_timestamp();
