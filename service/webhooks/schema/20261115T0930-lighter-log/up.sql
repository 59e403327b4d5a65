-- A delivery is written twice, when it is queued and when it is done, and each time into every index.
-- Those it can do without cost more than the delivery itself: it is known by its webhook and its id,
-- and age is looked at once a minute, over whole ranges of the table.
alter table webhooks.delivery drop constraint delivery_pkey;
alter table webhooks.delivery add constraint delivery_pkey primary key (webhook_id, id);
drop index webhooks.delivery_by_webhook;
drop index webhooks.delivery_by_event;
drop index webhooks.delivery_by_age;
create index delivery_by_age on webhooks.delivery using brin (created_at);
drop index webhooks.message_by_age;

-- Not younger than any delivery of it, so that age alone says when it can go. The column keeps the name
-- under which the release before this one writes it.
update webhooks.message m set created_at = d.created_at
  from (select event_id, max(created_at) as created_at from webhooks.delivery group by event_id) d
 where d.event_id = m.event_id and d.created_at > m.created_at;
create index message_by_age on webhooks.message using brin (created_at);
