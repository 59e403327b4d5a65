-- Letters that are still to be sent. Rows go when the mail server has taken them.
create table identity.mail (
  id uuid primary key,
  recipient text not null,
  subject text not null,
  text text not null,
  attempts integer not null default 0,
  -- By the database's clock; while it is being sent, when somebody else may try.
  due_at timestamptz not null
);
create index mail_due on identity.mail (due_at);
grant select, insert, update, delete on identity.mail to ergon_app;
