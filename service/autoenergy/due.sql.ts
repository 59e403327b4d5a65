/** Subscriptions to settle: service/app/dueWatch.ts asks for the work of all rooms at once. */
export const SUBSCRIPTIONS_TO_SETTLE = `(
  exists (select from autoenergy.call where state = 'seen' and block_number is not null)
  or exists (select from autoenergy.subscription
              where status = 'pending_activation' or (status = 'closed' and live))
  or exists (select from autoenergy.subscription where due_at <= $1))`
