-- Use that no call of the address explains is kept until it is judged, also when the Energy goes back.
alter table delivery.standing
  -- The last block read at the look that was suspected.
  add column suspect_block bigint,
  -- Block time of the last call of the address that `explained` counts.
  add column explained_at timestamptz,
  -- The last block read at the first look since the Energy was wanted: before any of it was there.
  add column began_block bigint,
  -- What was judged to be others' use since then.
  add column judged bigint not null default 0,
  -- Use up to this block is judged. Null: before the first look, and when use is judged to the end.
  add column judged_block bigint,
  -- The block time that goes with it. A block of a later time may hold use that no look has shown.
  add column judged_at timestamptz;
comment on column delivery.standing.strayed is
  'Energy that others took: what was known when it was wanted, and what was judged since.';
