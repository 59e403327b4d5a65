-- Credit that is not final yet, by account. Every block with a deposit sums it up, for the accounts
-- it pays and for the house; there are as many rows as deposits of the last minute.
create index deposit_unverified on deposits.deposit (account_id) include (amount_sun)
  where posted and verified_at is null;
