-- Run by the owner when the schema has changed. HTTP processes have the rights of the service, except
-- in the rooms that move money: there they read, and write only what is named here. Above all they
-- cannot request signatures.
do $$
declare one record;
begin
  for one in
    select n.nspname as schema, n.oid
      from pg_catalog.pg_namespace n
     where n.nspowner = 'ergon_owner'::pg_catalog.regrole and pg_catalog.has_schema_privilege('ergon_app', n.oid, 'usage')
  loop
    execute pg_catalog.format('grant usage on schema %I to ergon_api', one.schema);
    execute pg_catalog.format('revoke all on all tables in schema %I from ergon_api', one.schema);
    execute pg_catalog.format('revoke all on all functions in schema %I from ergon_api', one.schema);
  end loop;

  for one in
    select n.nspname as schema, c.relname as name, a.privilege_type as may
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspowner = 'ergon_owner'::pg_catalog.regrole,
           pg_catalog.aclexplode(c.relacl) a
     where a.grantee = 'ergon_app'::pg_catalog.regrole
       and (a.privilege_type = 'SELECT' or n.nspname not in ('audit', 'chain', 'deposits', 'signing', 'staking', 'treasury')
            or (n.nspname || '.' || c.relname, a.privilege_type) in (
                 ('audit.checkpoint', 'INSERT'),
                 ('audit.checkpoint', 'UPDATE'),
                 ('audit.finding', 'INSERT'),
                 ('chain.caller', 'INSERT'),
                 ('chain.watched', 'INSERT'),
                 ('deposits.reconciliation', 'INSERT'),
                 ('deposits.reconciliation', 'UPDATE'),
                 ('deposits.switch', 'UPDATE'),
                 ('staking.standing_vote', 'INSERT'),
                 ('staking.standing_vote', 'UPDATE'),
                 ('staking.standing_vote', 'DELETE'),
                 ('signing.approval', 'INSERT'),
                 ('signing.approval', 'UPDATE'),
                 ('treasury.float', 'INSERT'),
                 ('treasury.float', 'UPDATE'),
                 ('treasury.hot_wallet', 'INSERT'),
                 ('treasury.hot_wallet', 'UPDATE')))
  loop
    execute pg_catalog.format('grant %s on table %I.%I to ergon_api', one.may, one.schema, one.name);
  end loop;

  for one in
    select p.oid::pg_catalog.regprocedure as called
      from pg_catalog.pg_proc p
      join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspowner = 'ergon_owner'::pg_catalog.regrole,
           pg_catalog.aclexplode(p.proacl) a
     where a.grantee = 'ergon_app'::pg_catalog.regrole
       and (n.nspname <> 'signing' or p.proname = 'turn_off')
       -- Only workers delete what is old and move checkpoints.
       and (n.nspname, p.proname) not in (
             ('books', 'roll_forward'), ('events', 'drop_before'), ('ledger', 'add_up'))
  loop
    execute pg_catalog.format('grant execute on function %s to ergon_api', one.called);
  end loop;
  -- HTTP processes write requests, approvals and cancellations of payouts and of what is done
  -- with stakes. Only workers write their
  -- bytes, and only the signer confirms a cancellation.
  for one in
    select c.oid::pg_catalog.regclass as name, g.may, pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ') as columns
      from (values
             ('deposits', 'payout', 'insert',
              array['id', 'account_id', 'to_address', 'amount_sun', 'reason', 'requested_by', 'requested_at', 'state']),
             ('deposits', 'payout', 'update',
              array['state', 'approved_by', 'approved_at', 'cancelled_by', 'cancelled_at', 'try_after']),
             ('staking', 'operation', 'insert',
              array['id', 'stake', 'action', 'amount_sun', 'resource', 'votes', 'reason', 'requested_by', 'requested_at',
                    'covers_until', 'state', 'approved_at']),
             ('staking', 'operation', 'update',
              array['state', 'approved_at', 'cancelled_by', 'cancelled_at', 'ended_at', 'try_after']),
             ('signing', 'cancellation', 'insert', array['payout_id', 'asked_at']),
             -- What a person says of a top-up that is missing.
             ('treasury', 'transfer', 'update',
              array['state', 'credited_sun', 'due_at', 'decided_by', 'decided_at', 'decision_reason', 'trouble'])
           ) as g(schema, name, may, columns)
      join pg_catalog.pg_namespace n on n.nspname = g.schema
      join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = g.name
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = any (g.columns)
     group by c.oid, g.may
  loop
    execute pg_catalog.format('grant %s (%s) on table %s to ergon_api', one.may, one.columns, one.name);
  end loop;
end $$;
