-- A delegation that recovery found on the chain belongs to no attempt: its order is not in these books.
alter table delivery.delegation alter column attempt_id drop not null;
create index delegation_by_pair on delivery.delegation (owner_address, receiver_address, stake_sun)
  where provider = 'own_stake' and reclaimed_at is null;
