import type { TObject, TSchema } from 'typebox'
import { eventExamples } from './eventExamples.ts'
import { EventEnvelope, type EventType, eventTypes } from './events.ts'
import { type RefusalCode, refusals, wireCode } from './refusals.ts'
import type { Route } from './route.ts'

type Json = Record<string, unknown>

const KEY_REFUSALS: RefusalCode[] = ['api_key_required', 'invalid_api_key', 'user_not_found']
const ANY_REFUSALS: RefusalCode[] = ['rate_limited', 'server_error', 'overloaded']

/** The operator's bounds of an order, which are those of Energy in requests. */
export type EnergyBounds = { minimum: number; maximum: number }

/** The OpenAPI 3.1 description of the given routes. Those of the sandbox have an address of their own. */
export function openApi(
  routes: readonly Route[],
  sandbox: readonly Route[] = [],
  bounds?: EnergyBounds,
): Json {
  const paths = { ...pathsOf(sandbox, { servers: [{ url: '/sandbox' }] }), ...pathsOf(routes, {}) }
  const description = {
    openapi: '3.1.0',
    info: {
      title: 'Ergon',
      version: '0.1.0',
      description:
        'Energy purchasing on TRON. Amounts in *_sun are integers, in *_trx decimal strings.',
    },
    servers: [{ url: '/v1' }],
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: { ValidationError: validationError },
    },
    paths,
    ...(routes.some(({ path }) => path === '/webhooks') && { webhooks: eventCalls() }),
  }
  return standard(description, bounds) as Json
}

/** What we send to a webhook, by event type. What only chats are told is not among it. */
function eventCalls(): Json {
  const types = (Object.keys(eventTypes) as EventType[]).filter((t) => t !== 'webhook.disabled')
  return Object.fromEntries(types.map((type) => [type, { post: eventCall(type) }]))
}

const EVENT_HEADERS = {
  'X-Service-Event': 'The type.',
  'X-Service-Delivery': 'The delivery; the same at each retry.',
  'X-Service-Timestamp': 'Unix seconds when it was signed.',
  'X-Service-Signature': 'v1= and the hex of HMAC-SHA256 over {timestamp}.{raw body}.',
  'X-Service-Signature-Next': 'The same by the new secret, while a rotation overlaps.',
}

const ENVELOPE = {
  id: '0198f3f2-6c1e-7d52-9a3b-5a8f6f0b1c2d',
  created_at: '2026-11-14T12:34:56.789Z',
  audience: 'customer',
}

function eventCall(type: EventType): Json {
  const { when, data, default: fallback } = eventTypes[type]
  const byDefault = fallback === null ? '' : ` ${fallback ? 'On' : 'Off'} by default.`
  const properties = { ...EventEnvelope.properties, type: { const: type }, data }
  return {
    operationId: `event_${type.replace('.', '_')}`,
    tags: ['Events'],
    summary: when.replace(/\.$/, ''),
    description: `One signed POST to your webhook.${byDefault}`,
    parameters: Object.entries(EVENT_HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: !name.endsWith('-Next'),
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: json(
        { ...EventEnvelope, properties },
        { ...ENVELOPE, type, data: eventExamples[type] },
      ),
    },
    responses: { '2XX': { description: 'Received; anything else is tried again.' } },
  }
}

function pathsOf(routes: readonly Route[], common: Json): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    paths[route.path] ??= { ...common }
    paths[route.path]![route.method.toLowerCase()] = operation(route)
  }
  return paths
}

function operation(route: Route): Json {
  const keyed = route.auth !== 'public'
  return {
    operationId: route.name,
    tags: [route.group],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: keyed ? [{ key: [] }] : [],
    parameters: [
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...parameters('header', route.headers),
    ],
    ...(route.body && { requestBody: bodyOf(route.body) }),
    responses: {
      [route.reply.status]: success(route),
      ...refusalResponses([
        ...(keyed ? KEY_REFUSALS : []),
        ...ANY_REFUSALS,
        ...(takesBody(route) ? (['body_too_large'] as const) : []),
        ...route.refusals,
      ]),
      ...(takesInput(route) && { 422: inputFaults(route) }),
    },
  }
}

/** Faults of the shape are listed; a refusal that shares their status is an alternative. */
function inputFaults({ refusals: codes }: Route): Json {
  const faults = { $ref: '#/components/schemas/ValidationError' }
  const refused = codes.filter((code) => refusals[code].status === 422)
  const description = [
    'Every fault of the request.',
    ...refused.map((code) => `\`${wireCode(code)}\`: ${refusals[code].when}`),
  ].join(' ')
  const schema = refused.length > 0 ? { anyOf: [faults, ...refused.map(refusalSchema)] } : faults
  return { description, content: json(schema) }
}

function success({ reply }: Route): Json {
  const { description } = reply
  if (reply.status === 204) return { description }
  if (reply.stream) {
    return { description, content: { 'text/event-stream': { schema: reply.schema } } }
  }
  return { description, content: json(reply.schema) }
}

/** Without a field that must be there, no body is as good as an empty one. */
function bodyOf(body: TObject): Json {
  return { required: Boolean(body.required?.length), content: json(body) }
}

/** An action without fields accepts any JSON, which must still be JSON and not too large. */
function takesBody({ method }: Route): boolean {
  return method !== 'GET'
}

function takesInput(route: Route): boolean {
  return takesBody(route) || Boolean(route.query ?? route.headers)
}

function parameters(place: string, schema: TObject | undefined): Json[] {
  if (!schema) return []
  const required: readonly string[] = schema.required ?? []
  return Object.entries(
    schema.properties as Record<string, TSchema & { description?: string }>,
  ).map(([name, field]) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    required: required.includes(name) && !('default' in field),
    description: field.description,
    schema: field,
  }))
}

function headerName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

/** Refusals that share a status become the alternatives of one response. */
function refusalResponses(codes: readonly RefusalCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => refusals[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${wireCode(code)}\`: ${refusals[code].when}`).join(' '),
        content: json({ oneOf: group.map(refusalSchema) }),
      },
    ]),
  )
}

const WORDS = new Set(['message', 'reason', 'second_step'])

function refusalSchema(code: RefusalCode): Json {
  const entry = refusals[code]
  if (entry.shape === 'text') return objectOf({ detail: { const: entry.text }, ...help })
  // What a refusal carries beside its code is words or an amount.
  const extra = (entry.extra ?? []).map((name) => [
    name,
    { type: WORDS.has(name) || name.endsWith('_trx') ? 'string' : 'integer' },
  ])
  const named = entry.shape === 'code' ? 'code' : 'error'
  const carried = { [named]: { const: wireCode(code) }, ...Object.fromEntries(extra) }
  if (!('message' in carried)) return objectOf({ detail: objectOf(carried), ...help })
  const properties = { ...carried, ...help }
  const detail = objectOf(properties)
  return objectOf(entry.shape === 'twice' ? { ...properties, detail } : { detail })
}

const help = {
  message: { type: 'string', description: 'What happened and what to do; its words may change.' },
  doc_url: { type: 'string', description: 'The page of this code, on this service.' },
}

/** All of these fields are always there; others may join them. */
function objectOf(properties: Json): Json {
  return { type: 'object', properties, required: Object.keys(properties) }
}

const validationError = objectOf({
  detail: {
    type: 'array',
    minItems: 1,
    maxItems: 20,
    items: objectOf({
      loc: { type: 'array', items: { type: ['string', 'integer'] } },
      msg: { type: 'string' },
      type: { type: 'string' },
    }),
  },
  ...help,
})

function json(schema: unknown, example?: unknown): Json {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } }
}

/** Formats that only our validator knows; what they mean for a client is in `published`. */
const OWN_FORMATS = ['text', 'line', 'address']

/**
 * What we write for our validator and serialiser, as OpenAPI 3.1: a union with null, and the published
 * form of what an endpoint judges by itself.
 */
function standard(schema: unknown, bounds: EnergyBounds | undefined): unknown {
  if (Array.isArray(schema)) return schema.map((item) => standard(item, bounds))
  if (typeof schema !== 'object' || schema === null) return schema
  const { nullable, published, isEnergy, trimmedLengthMax: _ours, ...rest } = schema as Json
  if (OWN_FORMATS.includes(rest.format as string)) delete rest.format
  const whole = { ...rest, ...(published as Json), ...(isEnergy ? bounds : undefined) }
  const mapped = Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [key, standard(value, bounds)]),
  )
  if (!nullable) return mapped
  const words = mapped.enum as unknown[] | undefined
  return { ...mapped, type: [mapped.type, 'null'], ...(words && { enum: [...words, null] }) }
}
