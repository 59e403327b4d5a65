-- A call that was owed and paid later belongs to the run whose Energy it used: the one before the run
-- that paid. 0: it was in no run of this subscription, but of one that was deleted.
update autoenergy.call c set activation = c.activation - 1
  from autoenergy.charge p
 where p.kind = 'autoenergy_unit' and p.reference = c.txid and p.amount_sun > 0 and not p.counted
   and c.state = 'billed' and c.activation = p.activation;

-- Of a closed subscription only a day that began before its close is due, and none from the moment at
-- which it should have closed by itself.
update autoenergy.subscription set due_at = null
 where status = 'closed' and due_at is not null
   and (activated_at is null or paid_until >= closed_at or paid_until >= expire_at
        or paid_until >= coalesce(last_activity_at, activated_at) + make_interval(hours => idle_hours::int));

comment on column autoenergy.call.activation is
  'The activation whose Energy it used. 0: of a subscription that was deleted before the call was paid.';
