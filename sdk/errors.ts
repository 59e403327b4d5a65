/** Every code of the service. A newer service may send others, so `code` is an open set. */
export const ERROR_CODES = [
  'api_key_required',
  'invalid_api_key',
  'user_not_found',
  'rate_limited',
  'not_found_path',
  'host_required',
  'method_not_allowed',
  'body_too_large',
  'bad_request',
  'request_timeout',
  'headers_too_large',
  'order_not_found',
  'overloaded',
  'server_error',
  'unsupported_resource',
  'invalid_duration',
  'invalid_idempotency_key',
  'insufficient_balance',
  'validation_error',
  'price_above_limit',
  'quote_invalid',
  'quote_limit',
  'invalid_cursor',
  'duplicate_request',
  'batch_refused',
  'service_unavailable',
  'internal_error',
  'not_found',
  'replay_running',
  'program_disabled',
  'address_invalid',
  'address_reserved',
  'ownership_not_proven',
  'address_taken',
  'units_out_of_bounds',
  'energy_out_of_bounds',
  'base_not_mtrx',
  'base_below_cost',
  'config_limit',
  'generated_limit',
  'below_min_balance',
  'generated_not_deletable',
  'admin_paused',
  'not_deliverable',
  'order_amount_below_minimum',
  'order_amount_above_maximum',
  'plan_not_found',
  'address_busy',
  'address_exists',
  'not_reactivatable',
  'not_deletable',
  'invalid_address',
  'fulfiller_unavailable',
  'autoenergy_temporarily_unavailable',
  'webhook_host_not_public',
  'webhook_host_missing',
  'webhook_host_unresolved',
  'account_blocked',
  'deposit_required',
  'webhook_limit',
  'delivery_failed',
  'code_required',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** The fields of some codes beside their message. */
export type ErrorFields = {
  /** `owed_trx` with AutoEnergy: the part that is owed for calls after a close. */
  insufficient_balance: { current_balance: bigint; required_amount: bigint; owed_trx?: string }
  price_above_limit: { price_sun: bigint }
  base_below_cost: { cost_max_sun: bigint }
  below_min_balance: { min_balance_sun: bigint; balance_sun: bigint }
  account_blocked: { reason: string }
  deposit_required: { required_sun: bigint; deposited_sun: bigint }
  order_amount_below_minimum: { min: number; max: number }
  order_amount_above_maximum: { min: number; max: number }
  /** `code`, `passkey` or `either`. */
  code_required: { second_step: string }
}

/** Some refusals are a sentence instead of an object; these are their codes. */
export const SENTENCES: Readonly<Record<string, ErrorCode>> = {
  'API key required': 'api_key_required',
  'Invalid API key': 'invalid_api_key',
  'User not found': 'user_not_found',
  'Rate limit exceeded': 'rate_limited',
  'Not Found': 'not_found_path',
  'Host header required': 'host_required',
  'Method Not Allowed': 'method_not_allowed',
  'Request body is larger than 64 KiB': 'body_too_large',
  'Bad Request': 'bad_request',
  'Request Timeout': 'request_timeout',
  'Request Header Fields Too Large': 'headers_too_large',
  'Order not found': 'order_not_found',
  'Webhook URL must use a public host': 'webhook_host_not_public',
  'Webhook URL must include a host': 'webhook_host_missing',
  'Webhook host could not be resolved': 'webhook_host_unresolved',
  'Service is busy, retry shortly': 'overloaded',
  'Internal Server Error': 'server_error',
}

/** One fault of a request, as listed in a 422. */
export type Fault = { loc: (string | number)[]; msg: string; type: string }

/** Every error that this package throws on purpose. */
export class ErgonError extends Error {
  override name = 'ErgonError'
  /** The key of the purchase: sent again with the same key, nothing is bought twice. */
  idempotencyKey?: string
}

/** No answer arrived: the request may or may not have been carried out. */
export class ConnectionError extends ErgonError {
  override name = 'ConnectionError'
}

/** The wait timed out. The result may still come. */
export class WaitTimeoutError extends ErgonError {
  override name = 'WaitTimeoutError'
}

type Refusal = {
  status: number
  code: string
  message: string
  docUrl: string | undefined
  fields: Record<string, unknown>
  faults: Fault[]
  retryAfterSeconds: number | undefined
}

/**
 * The service answered and refused. `message` says what happened and what to do, `docUrl` is the page that
 * explains it. Branch on `code`; `isRefused` narrows the fields with it.
 */
export class ApiError extends ErgonError {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode | (string & {})
  readonly docUrl: string | undefined
  readonly fields: Readonly<Record<string, unknown>>
  /** Every fault of the request, if the status is 422 and `code` is `invalid_request`. */
  readonly faults: readonly Fault[]
  readonly retryAfterSeconds: number | undefined

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.status = refusal.status
    this.code = refusal.code
    this.docUrl = refusal.docUrl
    this.fields = refusal.fields
    this.faults = refusal.faults
    this.retryAfterSeconds = refusal.retryAfterSeconds
  }
}

export type RefusedWith<C extends string> = ApiError & {
  readonly code: C
  readonly fields: C extends keyof ErrorFields ? ErrorFields[C] : Readonly<Record<string, unknown>>
}

/** `if (isRefused(error, 'insufficient_balance')) error.fields.required_amount` */
export function isRefused<C extends ErrorCode | (string & {})>(
  error: unknown,
  code: C,
): error is RefusedWith<C> {
  return error instanceof ApiError && error.code === code
}

/** Reads a refusal in any shape of the error envelope; `base` completes an address that is only a path. */
export function readRefusal(
  status: number,
  body: unknown,
  headers: Headers,
  base?: string,
): ApiError {
  const top = asObject(body)
  const { detail = body } = top
  const { error, code = error, message: inner, doc_url: page, ...fields } = asObject(detail)
  const retryAfterSeconds = readSeconds(headers.get('retry-after'))
  const docUrl = addressOf(page ?? top.doc_url, base)
  const said = [inner, top.message].find((words) => typeof words === 'string') as string | undefined
  const common = { status, retryAfterSeconds, docUrl, fields: {}, faults: [] }
  if (typeof detail === 'string') {
    const slug = SENTENCES[detail] ?? `http_${status}`
    return new ApiError({ ...common, code: slug, message: said ?? detail })
  }
  if (Array.isArray(detail)) {
    const faults = detail as Fault[]
    const message = faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')
    return new ApiError({ ...common, code: 'invalid_request', message: said ?? message, faults })
  }
  const slug = typeof code === 'string' ? code : `http_${status}`
  const message = said ?? [slug, ...described(fields)].join(', ')
  return new ApiError({ ...common, code: slug, message, fields })
}

function addressOf(page: unknown, base: string | undefined): string | undefined {
  try {
    return typeof page === 'string' ? new URL(page, base).href : undefined
  } catch {
    return undefined
  }
}

function described(fields: Record<string, unknown>): string[] {
  return Object.entries(fields).map(([name, value]) => `${name} ${value}`)
}

function asObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : {}
}

function readSeconds(text: string | null): number | undefined {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined
}
