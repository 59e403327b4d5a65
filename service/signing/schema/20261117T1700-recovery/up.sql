-- What `npx ergon recover` made of a finding, for the person who confirms it on the signer's machine.
-- The payout and its attempt are what the signer's own file lacks after a restore.
alter table signing.outflow
  add column block_time timestamptz,
  add column booked_as text,
  add column payout_id uuid,
  add column attempt bigint check (attempt > 0),
  add constraint recovered_attempt_of_a_payout check ((payout_id is null) = (attempt is null));
create index outflow_to_book on signing.outflow (block_number, txid) where looked_at is null and booked_as is null;
