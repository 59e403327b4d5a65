/** Queues with a delivery that is due: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const QUEUES_TO_SEND = `exists (
  select from webhooks.queue where due_at <= $1)`
