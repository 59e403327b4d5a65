import { type TSchema, Type } from 'typebox'

/** The largest integer JSON readers everywhere hold exactly; a request above it is refused, not rounded. */
export const INTEGER_MAX = Number.MAX_SAFE_INTEGER

/** An amount on the way out: a bigint, written as an exact JSON integer. */
export const SunField = (description: string) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description })

export const TrxField = (description: string) =>
  Type.String({
    pattern: '^-?(0|[1-9]\\d*)(\\.\\d{0,5}[1-9])?$',
    description: `${description} Decimal TRX, at most 6 places.`,
    examples: ['1.95'],
  })

/** An amount above 0 on the way in. */
export const TrxInput = (description: string) =>
  Type.String({
    pattern: '^(?!0(\\.0+)?$)(0|[1-9]\\d{0,11})(\\.\\d{1,6})?$',
    description: `${description} Decimal TRX above 0, at most 6 places.`,
    examples: ['25'],
  })

export const CountField = (description: string) => Type.Integer({ description })

const BASE58 = '[1-9A-HJ-NP-Za-km-z]'
const ADDRESS = { pattern: `^T${BASE58}{33}$`, minLength: 34, maxLength: 34 }

export const AddressField = (description: string) =>
  Type.String({ ...ADDRESS, description, examples: ['TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'] })

/** An address, or nothing. */
export const WalletField = (description: string) =>
  Type.String({ pattern: `^(T${BASE58}{33})?$`, maxLength: 34, description })

/** 22 characters of base58. */
export const PublicIdField = (description: string) =>
  Type.String({ pattern: `^${BASE58}{22}$`, minLength: 22, maxLength: 22, description })

export const TxidField = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', minLength: 64, maxLength: 64, description })

export const TimeField = (description: string) =>
  Type.String({
    format: 'date-time',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
    description,
    examples: ['2026-11-14T12:34:56.789Z'],
  })

/** One of these words, on the way in or out. */
export const EnumField = <const T extends string>(words: readonly T[], description?: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...words], ...(description && { description }) })

/** fast-json-stringify knows `nullable`; OpenAPI 3.1 does not, so `openapi.ts` rewrites it to a union. */
export const Nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Type.Static<T> | null>({ ...schema, nullable: true })

/**
 * A form for the published description alone. Requests are not checked against it: either a format of our
 * validator says the same, or the endpoint answers with a refusal of its own instead of a 422.
 */
const Published = <T extends TSchema>(schema: T, published: object): T => ({ ...schema, published })

/** Text on the way in: no NUL, no lone surrogates (PostgreSQL stores neither), and a bound. */
export const TextInput = (description: string, maxLength = 256) =>
  Published(Type.String({ format: 'text', maxLength, description }), { pattern: '^[^\\u0000]*$' })

/** An address that must be one: anything else is a fault of the request. */
export const AddressInput = (description: string) =>
  Published(Type.String({ format: 'address', description }), ADDRESS)

/** An address that the endpoint judges. */
export const AnyAddressInput = (description: string) => Published(TextInput(description), ADDRESS)

/** A word that has one value today. */
export const OnlyInput = (word: string, description: string) =>
  Type.Optional(Published(TextInput(description), { enum: [word], default: word }))

const keyOf = (description: string) =>
  Published(Type.String({ description }), {
    minLength: 1,
    maxLength: 128,
    pattern: '^[ -~]*[!-~][ -~]*$',
  })

export const IdempotencyKey = keyOf('1 to 128 printable ASCII characters, new for each purchase.')

export const IdempotencyKeyInput = Type.Optional(
  keyOf('1 to 128 printable ASCII characters. Strongly advised.'),
)

export const CursorInput = (description: string, length = 32) =>
  Published(Type.String({ description }), {
    pattern: `^[\\w-]{${length}}$`,
    minLength: length,
    maxLength: length,
  })

/** Energy that an endpoint judges by the operator's bounds; the description publishes these. */
export const EnergyInput = (description: string) => ({
  ...AmountInput(description),
  isEnergy: true,
})

export const UnitsInput = (description: string) =>
  Published(AmountInput(description), { minimum: 1 })

export const BasePaymentInput = (description: string) =>
  Published(AmountInput(description), { minimum: 1_000, multipleOf: 1_000 })

/** A URL of a webhook; whether its host is public is judged by the endpoint. */
export const WebhookUrlInput = (description: string) =>
  Published(TextInput(description, 2_048), {
    format: 'uri',
    pattern: '^https://[^/]+',
    minLength: 9,
  })

export const PositiveInput = (description: string) =>
  Type.Integer({ exclusiveMinimum: 0, maximum: INTEGER_MAX, description })

export const RangeInput = (
  description: string,
  minimum: number,
  maximum: number,
  fallback: number,
) => Type.Integer({ minimum, maximum, default: fallback, description })

/** Any integer that is exact: whether it is allowed is for the endpoint's own refusals to say. */
export const AmountInput = (description: string) =>
  Type.Integer({ minimum: -INTEGER_MAX, maximum: INTEGER_MAX, description })

/** Narrows a list to one of these words. Empty is no filter, as for every list. */
export const FilterInput = <const T extends string>(description: string, words: readonly T[]) =>
  Type.Unsafe<T | ''>({ type: 'string', enum: ['', ...words], description })

/** One line for people: trimmed, at most 40 code points, no control characters. */
export const TitleInput = (description: string) =>
  Published(Type.String({ format: 'line', trimmedLengthMax: 40, description }), {
    maxLength: 40,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  })

/** A field of the thing that a change may not name. */
export const FrozenInput = (description: string) =>
  Type.Optional(Type.Unsafe<never>({ not: {}, description }))

export const CountInput = (description: string) =>
  Type.Integer({ minimum: 0, maximum: INTEGER_MAX, description })

/** States of a payment to an agent's configuration. */
export const PAYMENT_STATES = [
  'processing',
  'delivering',
  'completed',
  'failed',
  'skipped',
] as const

/** One result of a call that stands for many calls of `call`. */
export const BatchResult = (call: string) =>
  Type.Object({
    status: CountField(`The status that ${call} would have answered.`),
    body: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: `The body that ${call} would have answered.`,
    }),
  })
