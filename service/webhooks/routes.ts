import {
  chosenByDefault,
  deleteWebhook,
  getEvents,
  getWebhookDeliveries,
  getWebhookDelivery,
  getWebhooks,
  type HandledRoute,
  handle,
  isRefusal,
  patchWebhook,
  postWebhook,
  postWebhookReplay,
  postWebhookResend,
  postWebhookRotate,
  postWebhookTest,
  Verbatim,
} from '@ergon/contract'
import { isSuccess } from './attempt.ts'
import type { DeliveryRow } from './deliveries.sql.ts'
import type { EndpointRow } from './endpoints.sql.ts'
import { reasonOf } from './reason.ts'
import type { ReplayRow } from './replay.sql.ts'
import type { Webhooks } from './webhooks.ts'

export function webhookRoutes({ webhooks }: { webhooks: Webhooks }): HandledRoute[] {
  return [...recordRoutes(webhooks), ...deliveryRoutes(webhooks), eventsRoute(webhooks)]
}

/** Events are sent as they are delivered: the payload is text from the database. */
function eventsRoute({ readEvents }: Webhooks): HandledRoute {
  return handle(getEvents, async ({ account }, { query: { limit, cursor } }) => {
    const page = await readEvents(account, { limit, cursor })
    if (isRefusal(page)) return page
    const { bodies, hasMore, next } = page
    const rest = JSON.stringify({ has_more: hasMore, next_cursor: next }).slice(1)
    return new Verbatim(`{"events":[${bodies.join(',')}],${rest}`)
  })
}

/** For the workspace alone. */
export function inspectorRoutes({ webhooks }: { webhooks: Webhooks }): HandledRoute[] {
  return [
    handle(getWebhookDelivery, async ({ account }, { params }) => {
      const found = await webhooks.deliveries.inspect(account, params.id, params.delivery_id)
      if (isRefusal(found)) return found
      return {
        ...deliveryOf(found),
        url: found.url,
        headers: Object.entries(found.headers).map(([name, value]) => ({ name, value })),
        body: found.body,
        log: (found.log ?? []).map((one) => ({
          at: one.at,
          duration_ms: one.duration_ms ?? null,
          response_status: one.status,
          reason: reasonOf(one.error ?? (isSuccess(one.status) ? null : 'status'), one.status),
          answer: one.answer ?? null,
        })),
      }
    }),
  ]
}

function recordRoutes(webhooks: Webhooks): HandledRoute[] {
  return [
    handle(postWebhook, async ({ account }, { body: { name, url, events } }) => {
      const made = await webhooks.create(account, { name, url, events })
      if (isRefusal(made)) return made
      return { ...recordOf(made.endpoint), signing_secret: made.secret }
    }),
    handle(getWebhooks, async ({ account }) => ({
      webhooks: (await webhooks.list(account)).map(recordOf),
    })),
    handle(patchWebhook, async ({ account }, { params, body: { name, url, events, status } }) => {
      const changed = await webhooks.change(account, params.id, { name, url, events, status })
      return isRefusal(changed) ? changed : recordOf(changed)
    }),
    handle(deleteWebhook, ({ account }, { params }) => webhooks.remove(account, params.id)),
    handle(postWebhookRotate, async ({ account }, { params, body }) => {
      const rotated = await webhooks.rotate(account, params.id, body.overlap_hours ?? 24)
      if (isRefusal(rotated)) return rotated
      return { ...recordOf(rotated.endpoint), signing_secret: rotated.secret }
    }),
  ]
}

function deliveryRoutes({ test, deliveries, startReplay }: Webhooks): HandledRoute[] {
  return [
    handle(postWebhookTest, async ({ account }, { params }) => {
      const sent = await test(account, params.id)
      return isRefusal(sent) ? sent : { delivered: true, delivery_id: sent.delivery }
    }),
    handle(getWebhookDeliveries, async ({ account }, { params, query: { limit, offset } }) => {
      const rows = await deliveries.list(account, params.id, { limit: limit + 1, offset })
      if (isRefusal(rows)) return rows
      return { deliveries: rows.slice(0, limit).map(deliveryOf), has_more: rows.length > limit }
    }),
    handle(postWebhookResend, async ({ account }, { params }) => {
      const sent = await deliveries.resend(account, params.id, params.delivery_id)
      return isRefusal(sent) ? sent : deliveryOf(sent)
    }),
    handle(postWebhookReplay, async ({ account }, { params, body: { from, to, types } }) => {
      const started = await startReplay(account, params.id, { from, to, types })
      return isRefusal(started) ? started : replayOf(started)
    }),
  ]
}

function recordOf(row: EndpointRow) {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: Object.fromEntries(
      Object.keys(chosenByDefault).map((type) => [type, row.types.includes(type)]),
    ),
    status: row.status,
    disabled_reason: row.disabledReason,
    created_at: row.createdAt.toISOString(),
    last_success_at: row.lastSuccessAt?.toISOString() ?? null,
    last_failure_at: row.lastFailureAt?.toISOString() ?? null,
  }
}

function replayOf(row: ReplayRow) {
  return {
    id: row.id,
    webhook_id: row.webhook,
    from: row.from.toISOString(),
    to: row.to.toISOString(),
    types: row.types,
    status: row.state,
    events: row.events,
    queued: row.queued,
    created_at: row.createdAt.toISOString(),
  }
}

function deliveryOf(row: DeliveryRow) {
  return {
    id: row.id,
    event_id: row.eventId,
    event_type: row.type,
    status: row.state,
    attempts: row.attempts,
    response_status: row.responseStatus,
    error: row.error,
    reason: reasonOf(row.error, row.responseStatus),
    created_at: row.createdAt.toISOString(),
    attempted_at: row.attemptedAt?.toISOString() ?? null,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    delivered_at: row.deliveredAt?.toISOString() ?? null,
  }
}
