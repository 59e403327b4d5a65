/** Queues with a delivery that is due: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const QUEUES_TO_SEND = `exists (
  select from webhooks.queue where due_at <= $1)`

/** Also between two events, which come ten times a second. */
export const REPLAYS_TO_GO_ON = `exists (
  select from webhooks.replay where state = 'running')`
