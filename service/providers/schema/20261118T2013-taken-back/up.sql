-- One more scripted fault of the sandbox.
alter table providers.provider drop constraint provider_behaviour_check;
alter table providers.provider add constraint provider_behaviour_check check (behaviour in (
  'ok', 'fail', 'timeout_after_accept', 'timeout_before_accept', 'lost_delegation', 'partial', 'late', 'taken_back', 'down'));
