-- A move whose block was orphaned may come back while the next one is on its way already. Were both
-- called sent, the one place for what is sent would be taken, and no block could be taken back.
alter table delivery.standing_move drop constraint standing_move_state_check;
alter table delivery.standing_move add constraint standing_move_state_check
  check (state in ('sent', 'orphaned', 'done', 'dead'));
