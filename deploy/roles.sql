-- For psql, as the administrator, once, before the first `npx ergon migrate`: the roles that processes
-- connect with. Passwords come from the environment, so they are in no file and in no command line.
\getenv app APP_PASSWORD
\getenv api API_PASSWORD
\getenv signer SIGNER_PASSWORD
create role ergon_app login password :'app';
create role ergon_api login password :'api';
create role ergon_signer login password :'signer';
