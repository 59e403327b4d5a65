export {
  createEvents,
  type Events,
  FEED_START,
  type FeedPlace,
  type NewEvent,
  type Reader,
  type TakenEvent,
} from './events.ts'
export { retention } from './retention.ts'
