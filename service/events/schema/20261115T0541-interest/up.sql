-- Which reader wants which types of which account. An event leaves a row in events.pending only where
-- somebody wants it: most purchases are nobody's news, and two more rows each would slow them all.
create table events.interest (
  account_id uuid not null references identity.account (id),
  reader text not null,
  types text[] not null check (cardinality(types) > 0),
  -- When the choice was last changed, in business time.
  since timestamptz not null,
  primary key (account_id, reader)
);
drop table events.reader;
-- Taking and working off are one transaction, so nothing is leased.
alter table events.pending drop column lease_until;

grant select, insert, update, delete on events.interest to ergon_app;
