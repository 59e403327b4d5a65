-- The newest 30-second step whose code was taken. A code of this step or of an earlier one is refused: it was seen.
alter table better_auth."twoFactor" add column "lastStep" integer not null default 0;
