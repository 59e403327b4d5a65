-- Apart from the migration before it: this scan lets purchases go on, and that one's lock would not.
alter table ledger.movement validate constraint kind_is_known;
alter table ledger.movement validate constraint debit_is_known;
alter table ledger.movement validate constraint credit_is_known;
