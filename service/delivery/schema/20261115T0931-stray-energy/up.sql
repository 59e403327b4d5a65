-- Energy of ours that the address itself did not take: others did, by calling a contract of its.
alter table delivery.standing
  -- Used Energy and its block time, as the node showed them when everything before was accounted for.
  add column used bigint,
  add column used_at timestamptz,
  -- What the address's own calls have taken since.
  add column explained bigint not null default 0,
  -- Use that was measured and that no call read by then explains; judged when later blocks have been read.
  add column suspect_used bigint,
  add column suspect_at timestamptz,
  -- What nobody can account for, since the Energy was wanted.
  add column strayed bigint not null default 0;
create index standing_astray on delivery.standing (address) where strayed > 0;
