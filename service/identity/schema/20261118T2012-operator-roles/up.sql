-- What an operator may do. Those who were operators before there were roles may do everything, as they did.
-- Null: a process of the release before made the operator, who may look until an administrator gives a role.
alter table better_auth."user" add column "operatorRole" text
  check ("operatorRole" in ('viewer', 'support', 'finance', 'administrator'));
update better_auth."user" set "operatorRole" = 'administrator' where "role" = 'operator';
alter table better_auth."user" add constraint only_operators_have_roles check ("role" = 'operator' or "operatorRole" is null);
