import { chatDefaults, chosenByDefault } from '@ergon/contract'

/** What a card says of its events once `more` were switched on. */
const switched = (byDefault: Record<string, boolean>) => (more: number) => {
  const all = Object.values(byDefault)
  return `Events: ${all.filter(Boolean).length + more} of ${all.length} switched on`
}
export const eventsOfWebhook = switched(chosenByDefault)
export const eventsOfChat = switched(chatDefaults)
