-- How far each check has come. Keys are the text of what its slices are ordered by.
create table audit.progress (
  name text primary key,
  -- Rows up to this key are proven and final; the next run begins after it.
  proven text,
  -- The full pass over all history has come to this key, after this many rows.
  pass_at text,
  pass_rows bigint not null default 0,
  passes bigint not null default 0
);

-- Each proof of an invariant. Processes watch `proofs` grow and measure the age by their own elapsed time.
create table audit.proof (
  invariant text primary key,
  proofs bigint not null default 0,
  proven_at timestamptz,
  -- Runs since the last proof that ended with an error.
  failures bigint not null default 0
);

-- Movements that were proven, in slices: how many, their sum and the hash of all their columns. Written by
-- the first full pass over them; every later pass must find the same.
create table audit.seal (
  after uuid primary key,
  upto uuid not null,
  movements bigint not null,
  amount_sun numeric not null,
  hash text not null
);

-- audit.checkpoint stays for processes of the last release.
grant select, insert, update on audit.progress, audit.proof to ergon_app;
grant select, insert on audit.seal to ergon_app;
