export {
  createEvents,
  type Events,
  type NewEvent,
  type Reader,
  type TakenEvent,
} from './events.ts'
export { retention } from './retention.ts'
