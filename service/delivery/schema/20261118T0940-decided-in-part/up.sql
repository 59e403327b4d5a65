-- A person may say that part of the Energy came, and how much.
alter table delivery.undecided
  add column energy bigint check (energy >= 0),
  drop constraint undecided_decision_check,
  add constraint undecided_decision_check check (decision in ('delivered', 'partial', 'absent')),
  add constraint part_says_how_much check (decision is distinct from 'partial' or energy > 0);
