-- The last day that was summed up for each account that somebody wants summaries of.
create table account.summary (
  account_id uuid primary key references identity.account (id),
  last_day date not null
);
create index summary_by_day on account.summary (last_day);

grant usage on schema account to ergon_app;
grant select, insert, update, delete on account.summary to ergon_app;
