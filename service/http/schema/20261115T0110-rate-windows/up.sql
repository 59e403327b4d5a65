-- Unlogged: after a crash of the database every window starts anew, which harms nobody.
create unlogged table http.rate_window (
  account_id uuid primary key,
  started_at timestamptz not null,
  used bigint not null
);
create unlogged table http.node (
  id uuid primary key,
  seen_at timestamptz not null
);
grant usage on schema http to ergon_app;
grant select, insert, update, delete on http.rate_window, http.node to ergon_app;
