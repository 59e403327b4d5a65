import { Type } from 'typebox'
import { Delivery, deliveryId } from './delivery.ts'
import { chosenByDefault, EventEnvelope, EventSwitches, type EventType } from './events.ts'
import {
  CountField,
  CursorInput,
  EnumField,
  INTEGER_MAX,
  Nullable,
  RangeInput,
  TimeField,
  WebhookUrlInput,
} from './fields.ts'
import { defineRoute } from './route.ts'

const group = 'Webhooks'

const record = {
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  url: Type.String(),
  events: Type.Unsafe<Record<string, boolean>>({
    type: 'object',
    additionalProperties: { type: 'boolean' },
    description: 'Event type to whether it is sent.',
  }),
  status: EnumField(['active', 'disabled']),
  disabled_reason: Nullable(Type.String({ description: 'Set only when disabled.' })),
  created_at: TimeField('When it was created.'),
  last_success_at: Nullable(TimeField('Last delivery answered with 2xx.')),
  last_failure_at: Nullable(TimeField('Last delivery that failed.')),
}
const Webhook = Type.Object(record)
const signing_secret = Type.String({
  description: 'Key of the signatures, prefix included. Shown this once.',
})

const webhookId = Type.Object({ id: Type.String({ description: 'Webhook id.' }) })
const name = Type.String({
  format: 'text',
  minLength: 1,
  maxLength: 80,
  description: 'Name, for people.',
})
const url = WebhookUrlInput('HTTPS URL on a public host.')
const events = Type.Optional(EventSwitches('Event type to boolean; what is left out stays.'))

export const postWebhook = defineRoute({
  name: 'postWebhook',
  method: 'POST',
  path: '/webhooks',
  auth: 'both',
  group,
  summary: 'Have events sent to a URL',
  description:
    'Each delivery is one signed HTTPS POST. Needs more than 1 TRX of confirmed deposits; at most 10 per account.',
  body: Type.Object({ name, url, events }),
  reply: {
    status: 201,
    description: 'The webhook, with its signing secret.',
    schema: Type.Object({ ...record, signing_secret }),
  },
  refusals: [
    'deposit_required',
    'validation_error',
    'webhook_host_missing',
    'webhook_host_not_public',
    'webhook_host_unresolved',
    'webhook_limit',
  ],
})

export const getWebhooks = defineRoute({
  name: 'getWebhooks',
  method: 'GET',
  path: '/webhooks',
  auth: 'both',
  group,
  summary: 'Webhooks, newest first',
  reply: {
    status: 200,
    description: 'All of the account.',
    schema: Type.Object({ webhooks: Type.Array(Webhook) }),
  },
  refusals: [],
})

export const patchWebhook = defineRoute({
  name: 'patchWebhook',
  method: 'PATCH',
  path: '/webhooks/{id}',
  auth: 'both',
  group,
  summary: 'Change a webhook',
  description: 'Setting status to active enables a disabled webhook again.',
  params: webhookId,
  body: Type.Object({
    name: Type.Optional(name),
    url: Type.Optional(url),
    events,
    status: Type.Optional(EnumField(['active', 'disabled'], 'Disabled ones get nothing.')),
  }),
  reply: { status: 200, description: 'The webhook.', schema: Webhook },
  refusals: [
    'not_found',
    'validation_error',
    'webhook_host_missing',
    'webhook_host_not_public',
    'webhook_host_unresolved',
  ],
})

export const deleteWebhook = defineRoute({
  name: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/{id}',
  auth: 'both',
  group,
  summary: 'Remove a webhook',
  params: webhookId,
  reply: { status: 204, description: 'It is gone.', schema: Type.Unsafe<undefined>({}) },
  refusals: ['not_found'],
})

export const postWebhookTest = defineRoute({
  name: 'postWebhookTest',
  method: 'POST',
  path: '/webhooks/{id}/test',
  auth: 'both',
  group,
  summary: 'Send a notification.test event now',
  description: 'Signed like any delivery, tried once. At most 10 a minute.',
  params: webhookId,
  reply: {
    status: 200,
    description: 'The receiver answered with 2xx.',
    schema: Type.Object({ delivered: Type.Boolean(), delivery_id: Type.String() }),
  },
  refusals: ['not_found', 'delivery_failed'],
})

export const postWebhookRotate = defineRoute({
  name: 'postWebhookRotate',
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  auth: 'both',
  group,
  summary: 'Replace the signing secret',
  description:
    'During the overlap X-Service-Signature is made with the previous secret and X-Service-Signature-Next with the new one; afterwards, or at once with 0, the new one signs alone.',
  params: webhookId,
  body: Type.Object({
    overlap_hours: Type.Optional(RangeInput('Hours both secrets sign.', 0, 24, 24)),
  }),
  reply: {
    status: 200,
    description: 'The webhook, with its new signing secret.',
    schema: Type.Object({ ...record, signing_secret }),
  },
  refusals: ['not_found'],
})

export const getWebhookDeliveries = defineRoute({
  name: 'getWebhookDeliveries',
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  auth: 'both',
  group,
  summary: 'Deliveries of the last 30 days, newest first',
  params: webhookId,
  query: Type.Object({
    limit: RangeInput('Deliveries on a page.', 1, 100, 20),
    offset: RangeInput('Deliveries to pass over.', 0, INTEGER_MAX, 0),
  }),
  reply: {
    status: 200,
    description: 'One page.',
    schema: Type.Object({ deliveries: Type.Array(Delivery), has_more: Type.Boolean() }),
  },
  refusals: ['not_found'],
})

export const postWebhookResend = defineRoute({
  name: 'postWebhookResend',
  method: 'POST',
  path: '/webhooks/{id}/deliveries/{delivery_id}/resend',
  auth: 'both',
  group,
  summary: 'Send a delivery again',
  description: 'The same event in a new delivery; the event id stays, the delivery id is new.',
  params: deliveryId,
  reply: { status: 200, description: 'The new delivery.', schema: Delivery },
  refusals: ['not_found', 'validation_error'],
})

const replayTime = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$',
    description,
  })

export const postWebhookReplay = defineRoute({
  name: 'postWebhookReplay',
  method: 'POST',
  path: '/webhooks/{id}/replay',
  auth: 'both',
  group,
  summary: 'Send the events of a time again',
  description:
    'In the order in which they happened, one at a time and at most 10 a second; at most 30 days back and 100,000 events. The event ids stay, the delivery ids are new. One that fails goes to the ordinary retries and does not stop the others. One replay of a webhook runs at a time.',
  params: webhookId,
  body: Type.Object({
    from: replayTime('Events that happened at this time or later, such as 2026-11-14T12:34:56Z.'),
    to: Type.Optional(replayTime('And at this time or earlier; now by default.')),
    types: Type.Optional(
      Type.Array(EnumField(Object.keys(chosenByDefault) as EventType[]), {
        minItems: 1,
        description: 'Only events of these types; all by default.',
      }),
    ),
  }),
  reply: {
    status: 200,
    description: 'The replay, which has begun.',
    schema: Type.Object({
      id: Type.String({ format: 'uuid' }),
      webhook_id: Type.String({ format: 'uuid' }),
      from: TimeField('Events from here.'),
      to: TimeField('Events to here.'),
      types: Type.Array(Type.String()),
      status: EnumField(
        ['running', 'done', 'stopped'],
        'done at once where there is nothing to send.',
      ),
      events: CountField('Events that it sends.'),
      queued: CountField('Events that have become deliveries.'),
      created_at: TimeField('When it began.'),
    }),
  },
  refusals: ['not_found', 'validation_error', 'replay_running'],
})

export const getEvents = defineRoute({
  name: 'getEvents',
  method: 'GET',
  path: '/events',
  auth: 'both',
  group,
  summary: 'Events of the last 30 days, oldest first, from a place on',
  description:
    'For who prefers to ask. Pass the last next_cursor to get what happened since: nothing is missed, because an event is shown only when every older transaction has ended. next_cursor is a place also where there is nothing more yet; keep it. The events are those that webhooks can have, whatever the webhooks choose.',
  query: Type.Object({
    limit: RangeInput('Events on a page.', 1, 100, 20),
    cursor: Type.Optional(CursorInput('The last next_cursor; without it the oldest event.', 54)),
  }),
  reply: {
    status: 200,
    description: 'One page.',
    schema: Type.Object({
      events: Type.Array(EventEnvelope),
      has_more: Type.Boolean(),
      next_cursor: Type.String({ description: 'The place after these events.' }),
    }),
  },
  refusals: ['invalid_cursor'],
})
