import type { EventPayloads } from './wire.ts'

type Envelope<Type, Data> = {
  /** The same event may arrive twice: keep the ids you have handled. */
  id: string
  type: Type
  created_at: string
  audience: string
  data: Data
}

/**
 * One event; `type` determines `data`. New types are delivered without a new SDK, so a `switch`
 * over `type` needs a `default` that does nothing.
 */
export type WebhookEvent = {
  [Type in keyof EventPayloads]: Envelope<Type, EventPayloads[Type]>
}[keyof EventPayloads]

export type WebhookEventType = WebhookEvent['type']

/** The event of one type: `WebhookEventOf<'order.status_changed'>`. */
export type WebhookEventOf<Type extends WebhookEventType> = Extract<WebhookEvent, { type: Type }>
