-- The lease of each chat app, and up to which update its messages were received.
alter table chat.duty rename to lease;
alter table chat.lease rename column heard_below to received_below;
alter index chat.duty_pkey rename to lease_pkey;

-- Processes of the release before read and write it under the old name until they are replaced.
create view chat.duty as select app, owner, lease_until, received_below as heard_below from chat.lease;
grant select, insert, update, delete on chat.duty to ergon_app;
