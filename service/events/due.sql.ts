/** Events that a reader has not taken yet. */
export const eventsToTake = (reader: 'webhooks' | 'chat') =>
  `exists (select from events.pending where reader = '${reader}')`
