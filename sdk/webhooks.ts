import type { WebhookEventType } from './events.ts'
import { List, type Loaded } from './list.ts'
import type { CallOptions, Transport } from './transport.ts'
import type {
  DeliveryRecord,
  DeliveryRecordPage,
  NewWebhook,
  Replay,
  TestDelivered,
  Webhook,
  WebhookChange,
  Webhooks,
  WebhookWithSecret,
} from './wire.ts'

/** Times as 2026-11-14T12:34:56Z; without `to` until now, without `types` all. */
export type NewReplay = { from: string; to?: string; types?: WebhookEventType[] }

/** Where events are sent. Verify what arrives with `verifyWebhook` or one of the adapters. */
export class WebhooksApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The answer contains `signing_secret`, only this once. */
  create(webhook: NewWebhook, options: CallOptions = {}): Promise<WebhookWithSecret> {
    return this.#transport.call('POST', '/webhooks', { ...options, body: webhook })
  }

  async list(options: CallOptions = {}): Promise<Webhook[]> {
    return (await this.#transport.call<Webhooks>('GET', '/webhooks', options)).webhooks
  }

  update(id: string, change: WebhookChange, options: CallOptions = {}): Promise<Webhook> {
    const ask = { ...options, body: change, isSafe: true }
    return this.#transport.call('PATCH', pathOf(id), ask)
  }

  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#transport.call('DELETE', pathOf(id), options)
  }

  /** Sends a `notification.test` now, once. */
  test(id: string, options: CallOptions = {}): Promise<TestDelivered> {
    return this.#transport.call('POST', `${pathOf(id)}/test`, options)
  }

  /** Both secrets sign for this many hours, 24 by default. */
  rotateSecret(
    id: string,
    rotation: { overlap_hours?: number } = {},
    options: CallOptions = {},
  ): Promise<WebhookWithSecret> {
    const ask = { ...options, body: rotation }
    return this.#transport.call('POST', `${pathOf(id)}/rotate-secret`, ask)
  }

  /** The deliveries of the last 30 days. */
  deliveries(id: string, options: CallOptions = {}): List<DeliveryRecord, DeliveryRecordPage> {
    const load = async (offset: number): Promise<Loaded<DeliveryRecordPage, DeliveryRecord>> => {
      const ask = { ...options, query: { limit: PAGE, offset } }
      const path = `${pathOf(id)}/deliveries`
      const page = await this.#transport.call<DeliveryRecordPage>('GET', path, ask)
      const next = page.has_more ? () => load(offset + PAGE) : undefined
      return { page, items: page.deliveries, next }
    }
    return new List(
      () => load(0),
      (delivery) => delivery.id,
    )
  }

  /** Sends the events of a time again, in their order, at most 10 a second. One replay runs at a time. */
  replay(id: string, asked: NewReplay, options: CallOptions = {}): Promise<Replay> {
    return this.#transport.call('POST', `${pathOf(id)}/replay`, { ...options, body: asked })
  }

  /** Sends the same event again, under a new delivery id. */
  resend(id: string, deliveryId: string, options: CallOptions = {}): Promise<DeliveryRecord> {
    const path = `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}/resend`
    return this.#transport.call('POST', path, options)
  }
}

const PAGE = 100

function pathOf(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`
}
