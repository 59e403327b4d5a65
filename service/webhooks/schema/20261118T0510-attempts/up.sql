-- What became of each attempt, oldest first: its time, when it was signed, and the answer. Null for deliveries
-- from before this column.
alter table webhooks.delivery add column log jsonb;
