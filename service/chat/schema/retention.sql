-- How long rows are kept and why. docs/operating/retention.md has the same table; a test compares them.
comment on table chat.owner is 'Kept for ever: one row per account.';
comment on table chat.chat is 'Kept while it is linked: a client or the chat itself unlinks it.';
comment on table chat.code is 'Kept while it can be used: one row per account; the next one replaces it.';
comment on table chat.message is 'Kept 1 day: older news is of no use in a chat; normally it is sent and deleted within seconds.';
comment on table chat.conversation is 'Kept 30 days after its last message, unless it is linked: it holds the pace of a chat, and anybody can write to the bot.';
comment on table chat.lease is 'Kept for ever: one row per app.';
