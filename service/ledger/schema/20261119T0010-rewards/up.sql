-- What votes of our stakes earn, booked when it was claimed. A database whose books were tried out by hand may have the account.
insert into ledger.own_account (name) values ('income:rewards') on conflict (name) do nothing;
insert into ledger.kind (name, may_overdraw) values ('reward', false) on conflict (name) do nothing;
