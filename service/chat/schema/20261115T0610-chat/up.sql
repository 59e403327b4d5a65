-- Locked by whoever changes an account's chats: what they are told of is worked out over all of them.
create table chat.owner (account_id uuid primary key references identity.account (id));

-- A chat of a messaging app that is told of an account's events. One chat may serve several accounts.
create table chat.chat (
  id uuid primary key,
  account_id uuid not null references identity.account (id),
  app text not null,
  -- How the app knows the chat.
  address text not null,
  name text not null,
  types text[] not null,
  created_at timestamptz not null,
  constraint one_link_per_chat_and_account unique (account_id, app, address)
);
create index chat_by_address on chat.chat (app, address);

-- Codes that link a chat, as hashes, one per account. The first who says one takes it out.
create table chat.code (
  account_id uuid primary key references identity.account (id),
  hash bytea not null unique,
  expires_at timestamptz not null
);

-- What is still to be said. Rows go when it has been said.
create table chat.message (
  id uuid primary key,
  app text not null,
  address text not null,
  -- Whose news it is; null for an answer to somebody in the chat.
  account_id uuid,
  text text not null,
  -- By the database's clock, like the times of chat.conversation and chat.duty.
  queued_at timestamptz not null
);
create index message_of_conversation on chat.message (app, address, id);
create index message_by_age on chat.message (queued_at);

-- When each chat may be spoken to again. due_at is never later than that where something waits.
create table chat.conversation (
  app text not null,
  address text not null,
  open_at timestamptz not null default '-infinity',
  due_at timestamptz not null default 'infinity',
  failures integer not null default 0,
  primary key (app, address)
) with (fillfactor = 50);
create index conversation_due on chat.conversation (app, due_at);

-- One process speaks for an app at a time: the app's limits are for all of us together, and it lets
-- only one listen.
create table chat.duty (
  app text primary key,
  owner uuid,
  lease_until timestamptz not null default '-infinity',
  -- What has been heard and not been confirmed to the app yet: everything below.
  heard_below text
);

grant usage on schema chat to ergon_app;
grant select, insert, update on chat.owner to ergon_app;
grant select, insert, update, delete on chat.chat, chat.code, chat.message, chat.conversation, chat.duty to ergon_app;
