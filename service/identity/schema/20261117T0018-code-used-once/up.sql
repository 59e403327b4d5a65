-- The newest 30-second step whose code was taken. A code of this step or of an earlier one is refused: it was
-- seen. Null for a published secret, as the sandbox's operators have: there is nothing to keep.
alter table better_auth."twoFactor" add column "lastStep" integer default 0;
