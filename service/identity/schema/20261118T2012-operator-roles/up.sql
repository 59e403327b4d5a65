-- What an operator may do. Those who were operators before there were roles may do everything, as they did.
alter table better_auth."user" add column "operatorRole" text
  check ("operatorRole" in ('viewer', 'support', 'finance', 'administrator'));
update better_auth."user" set "operatorRole" = 'administrator' where "role" = 'operator';
alter table better_auth."user" add constraint an_operator_has_a_role check (("role" = 'operator') = ("operatorRole" is not null));
