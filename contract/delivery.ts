import { Type } from 'typebox'
import { CountField, EnumField, Nullable, TimeField } from './fields.ts'

/** A delivery of a webhook, in the log of the API and in the workspace. */
export const Delivery = Type.Object({
  id: Type.String({ format: 'uuid', description: 'X-Service-Delivery.' }),
  event_id: Type.String({ format: 'uuid' }),
  event_type: Type.String(),
  status: EnumField(['pending', 'delivered', 'failed']),
  attempts: CountField('How often it was tried.'),
  response_status: Nullable(CountField('HTTP status of the last attempt, if there was one.')),
  error: Nullable(Type.String({ description: 'Why the last attempt failed, in a word.' })),
  reason: Nullable(Type.String({ description: 'The same in a sentence.' })),
  created_at: TimeField('When it was queued.'),
  attempted_at: Nullable(TimeField('Last attempt.')),
  next_attempt_at: Nullable(TimeField('When it is tried next; null unless pending.')),
  delivered_at: Nullable(TimeField('When it was answered with 2xx.')),
})

export const deliveryId = Type.Object({
  id: Type.String({ description: 'Webhook id.' }),
  delivery_id: Type.String({ description: 'Delivery id.' }),
})
