-- From a request that delivers again to the delegation that it replaces: its costs are those of the first order.
create index if not exists delegation_redelivered on delivery.delegation (redelivered_by) where redelivered_by is not null;
