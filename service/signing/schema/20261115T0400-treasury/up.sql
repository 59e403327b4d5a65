-- Where the owner's key lies, when the owner is a deposit address: the signer derives it by this
-- position and sees for itself whether it is that address.
alter table signing.request add column position bigint check (position >= 0);

-- Under which of the account's permissions we sign; null signs as the owner. A stake whose owner key
-- is kept elsewhere gives the signer an active permission that can delegate and reclaim, no more.
alter table signing.address add column permission_id bigint check (permission_id >= 2);
grant update (permission_id) on signing.address to ergon_signer;
