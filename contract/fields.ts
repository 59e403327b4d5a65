import { type TSchema, Type } from 'typebox'

/** The largest integer JSON readers everywhere hold exactly; a request above it is refused, not rounded. */
export const INTEGER_MAX = Number.MAX_SAFE_INTEGER

/** An amount on the way out: a bigint, written as an exact JSON integer. */
export const SunField = (description: string) =>
  Type.Unsafe<bigint>({ type: 'integer', format: 'int64', description })

export const TrxField = (description: string) =>
  Type.String({ description: `${description} Decimal TRX, at most 6 places.`, examples: ['1.95'] })

export const CountField = (description: string) => Type.Integer({ description })

export const AddressField = (description: string) =>
  Type.String({ description, examples: ['TQn9Y2khEsLJW1ChVWFMSMeRDow5KcbLSE'] })

export const TimeField = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-14T12:34:56.789Z'] })

/** fast-json-stringify knows `nullable`; OpenAPI 3.1 does not, so `openapi.ts` rewrites it to a union. */
export const Nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Type.Static<T> | null>({ ...schema, nullable: true })

/** Text on the way in: no NUL, no lone surrogates (PostgreSQL stores neither), and a bound. */
export const TextInput = (description: string, maxLength = 256) =>
  Type.String({ format: 'text', maxLength, description })

/** An address that must be one: anything else is a fault of the request. */
export const AddressInput = (description: string) => Type.String({ format: 'address', description })

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

export const EnumInput = <const T extends string>(description: string, words: readonly T[]) =>
  Type.Unsafe<T>({ type: 'string', enum: [...words], description })

/** One line for people: trimmed, at most 40 code points, no control characters. */
export const TitleInput = (description: string) =>
  Type.String({ format: 'line', trimmedLengthMax: 40, description })

/** A field of the thing that a change may not name. */
export const FrozenInput = (description: string) =>
  Type.Optional(Type.Unsafe<never>({ not: {}, description }))

export const CountInput = (description: string) =>
  Type.Integer({ minimum: 0, maximum: INTEGER_MAX, description })
