import { type DestinationStream, pino } from 'pino'

/**
 * Logs go through an allow-list: a field that is not named here is not written, so a secret cannot
 * reach a log by being in the wrong object. Errors keep name, message and code,
 * and their stack where it is a fault of ours.
 */
const FIELDS = new Set([
  'account',
  'address',
  'attempt',
  'batch',
  'block',
  'cause',
  'count',
  'deadline',
  'duration_ms',
  'energy',
  'failures',
  'from',
  'height',
  'invariant',
  'kind',
  'loop',
  'method',
  'migration',
  'name',
  'node',
  'order',
  'part',
  'payment',
  'pid',
  'port',
  'provider',
  'reason',
  'request',
  'role',
  'room',
  'route',
  'setting',
  'signal',
  'state',
  'status',
  'subject',
  'subscription',
  'to',
  'trace',
  'txid',
  'url',
  'version',
  'webhook',
])

const STANDARD_ERROR = 2

type Fields = Record<string, unknown> & { error?: unknown }

export type Log = {
  /** Whether `info` writes anything: what is made for it alone need not be made. */
  writesInfo: boolean
  info(event: string, fields?: Fields): void
  warn(event: string, fields?: Fields): void
  error(event: string, fields?: Fields): void
}

export function createLog(level: string, destination?: DestinationStream): Log {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const out = pino(options, destination ?? pino.destination(STANDARD_ERROR))
  return {
    writesInfo: out.isLevelEnabled('info'),
    info: (event, fields) => out.info(allowed(fields), event),
    warn: (event, fields) => out.warn(withoutStack(allowed(fields)), event),
    error: (event, fields) => out.error(allowed(fields), event),
  }
}

export const silentLog: Log = { writesInfo: false, info() {}, warn() {}, error() {} }

function allowed(fields: Fields = {}): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (FIELDS.has(name)) kept[name] = scalar(value)
  }
  if (fields.error !== undefined) kept.error = describe(fields.error)
  return kept
}

/** A warning is about the world outside, where a stack of ours says nothing: it stays a short line. */
function withoutStack(fields: Record<string, unknown>): Record<string, unknown> {
  if (fields.error === undefined) return fields
  const { stack: _dropped, ...error } = fields.error as { stack?: string }
  return { ...fields, error }
}

/** An object under a listed name could carry anything, so only single values are written. */
function scalar(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return withoutSecrets(value)
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value !== null ? undefined : value
}

function describe(error: unknown) {
  if (!(error instanceof Error)) return { message: withoutSecrets(String(error)) }
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  return { name, message: withoutSecrets(message), code, stack: stack && withoutSecrets(stack) }
}

/** Masks connection URLs and keys, which errors of libraries may quote. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/\b(erg|whsec)_[A-Za-z0-9_-]+/g, '$1_…')
    .replace(/\b(?:bot)?\d{5,}:[A-Za-z0-9_-]{10,}/g, 'bot…')
    .replace(/(\w+:\/\/[^:@/\s]*):\S+@/g, '$1:…@')
}
