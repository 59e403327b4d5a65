-- A debt paid by a reactivation and one paid by a new subscription; a call that was billed at once.
insert into autoenergy.call (txid, subscription_id, account_id, address, block_number, block_time, position, result,
                             energy, energy_usage, burned_sun, fee_limit_sun, expires_at, state, energy_class, billed_sun, activation)
select txid, '01930000-0000-7000-8000-00000000b001', '01930000-0000-7000-8000-00000000b000', 'T', 1, '2026-01-01Z', 0, 'SUCCESS',
       1, 1, 0, 1, '2026-01-01Z', 'billed', '65k', 2, activation
  from (values ('owed-run-1', 2), ('owed-deleted', 1), ('run-2', 2)) v(txid, activation);
insert into autoenergy.charge (id, subscription_id, account_id, kind, reference, activation, amount_sun, counted, at, created_at)
select gen_random_uuid(), subscription_id, account_id, 'autoenergy_unit', txid, activation, 2, txid = 'run-2', block_time, block_time
  from autoenergy.call where address = 'T';
-- Closed with a day due at its close, with one due before it, and with one due after it was idle. The
-- account is another room's row: without triggers nobody asks for it.
begin;
set local session_replication_role = 'replica';
insert into autoenergy.subscription (id, account_id, address, status, plan_name, activation_fee_sun, daily_sub_sun,
                                     unit_price_65k_sun, unit_price_131k_sun, idle_hours, requested_at, activated_at, paid_until,
                                     closed_at, close_reason, due_at, live, created_at)
select gen_random_uuid(), '01930000-0000-7000-8000-00000000b000', address, 'closed', 'standard', 1, 1, 1, 1, idle, at, at,
       at + '24 hours', at + closed, 'manual', at + '24 hours', false, at
  from (values ('at-its-close', 48, interval '24 hours'), ('before-its-close', 48, interval '25 hours'),
               ('idle', 24, interval '25 hours')) v(address, idle, closed),
       (select timestamptz '2026-01-01Z' as at) t;
commit;
