-- Letters belong to the room mail; identity had them before. Rows, index and rights go with the table.
alter table identity.mail set schema mail;
alter table mail.mail rename to letter;
alter index mail.mail_pkey rename to letter_pkey;
alter index mail.mail_due rename to letter_due;
grant usage on schema mail to ergon_app, ergon_api;

-- Processes of the release before read and write letters under the old name until they are replaced. A
-- view on one table can be written, and locks its rows. ergon_api is named here because its other rights
-- are granted in a later transaction.
create view identity.mail as select id, recipient, subject, text, attempts, due_at from mail.letter;
grant select, insert, update, delete on identity.mail to ergon_app, ergon_api;
