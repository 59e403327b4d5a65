-- What clients are paid for those who signed up through them.
insert into ledger.own_account (name) values ('cost:referrals');
