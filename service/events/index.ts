export { createEvents, type Events, type NewEvent } from './events.ts'
