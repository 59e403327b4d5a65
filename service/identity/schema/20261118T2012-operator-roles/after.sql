do $$
begin
  assert (select "operatorRole" = 'administrator' from better_auth."user" where "id" = 'before-roles-1'),
    'an operator from before the roles can no longer do everything';
  assert (select "operatorRole" is null from better_auth."user" where "id" = 'before-roles-2'), 'a client has a role';
end $$;
