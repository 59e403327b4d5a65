/** Chats with a message that may be sent: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const CHATS_TO_SEND = `exists (
  select from chat.conversation where due_at <= clock_timestamp())`
