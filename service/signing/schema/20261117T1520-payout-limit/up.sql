-- What the signer signs for payouts at most, so that nobody is charged for a payout that it never signs. The
-- signer writes it at its start; its own settings decide, whatever is written here.
create table signing.payout_limit (
  only_row boolean primary key default true check (only_row),
  hour_sun bigint not null,
  day_sun bigint not null
);
grant select on signing.payout_limit to ergon_app;
grant select, insert, update on signing.payout_limit to ergon_signer;
