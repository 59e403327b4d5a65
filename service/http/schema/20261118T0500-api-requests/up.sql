-- What clients' programs were answered. Unlogged: nobody's money depends on it, and its writes must not
-- wait for the disk. Ids begin with the time of the answer, so the key is also the order of time.
create unlogged table http.api_request (
  account_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  method text not null,
  route text not null,
  status smallint not null,
  duration_ms real not null,
  request text not null,
  refusal text,
  primary key (account_id, id)
);
grant select, insert, delete on http.api_request to ergon_app;
