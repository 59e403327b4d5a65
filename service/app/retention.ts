import { retention as agent } from '../agent/index.ts'
import { retention as books } from '../books/index.ts'
import { retention as chat } from '../chat/index.ts'
import type { Retention } from '../db/index.ts'
import { retention as delivery } from '../delivery/index.ts'
import { retention as events } from '../events/index.ts'
import { retention as http } from '../http/index.ts'
import { retention as identity } from '../identity/index.ts'
import { retention as orders } from '../orders/index.ts'
import { retention as pricing } from '../pricing/index.ts'
import { retention as status } from '../status/index.ts'
import { retention as webhooks } from '../webhooks/index.ts'

/** Of every table whose rows do not stay for ever. */
export const RETENTION: readonly Retention[] = [
  ...agent,
  ...books,
  ...chat,
  ...delivery,
  ...events,
  ...http,
  ...identity,
  ...orders,
  ...pricing,
  ...status,
  ...webhooks,
]
