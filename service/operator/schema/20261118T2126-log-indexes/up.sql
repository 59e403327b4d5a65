-- The log is read by person and by thing, newest first; by time through the ids, which begin with it.
create index action_of_person on operator.action (who, id desc);
create index action_on_thing on operator.action (subject, id desc);
