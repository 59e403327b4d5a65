import { type Extra, type Help, refusalHelp } from './refusalHelp.ts'

/**
 * Every refusal a client can meet: status, shape of the body, and what it means. The shapes of the
 * error envelope are decided here and nowhere else.
 *
 * `error`: {"detail":{"error":code,…}} · `code`: {"detail":{"code":code,…}} · `text`: {"detail":"…"}
 * `twice`: {"error":code,…,"detail":{"error":code,…}}, because clients of AutoEnergy look in both places
 *
 * All have `message` and `doc_url`: within the object if `extra` has a message, else beside `detail`, which the
 * contract fixes byte for byte.
 */
type Entry = {
  status: number
  shape: 'error' | 'code' | 'text' | 'twice'
  when: string
  /** The whole body of a `text` refusal. */
  text?: string
  extra?: readonly string[]
  /** The code on the wire where it is not the entry's name: some codes have several shapes. */
  wire?: string
}

export const refusals = {
  api_key_required: text(401, 'API key required', 'No X-API-Key header.'),
  invalid_api_key: text(401, 'Invalid API key', 'The key is unknown or was revoked.'),
  user_not_found: text(401, 'User not found', "The key's user no longer exists."),
  rate_limited: text(
    429,
    'Rate limit exceeded',
    'Too many requests; Retry-After says how many seconds to wait.',
  ),
  not_found_path: text(404, 'Not Found', 'No such path.'),
  host_required: text(400, 'Host header required', 'The request names no host.'),
  method_not_allowed: text(405, 'Method Not Allowed', 'The path exists, this method does not.'),
  body_too_large: text(413, 'Request body is larger than 64 KiB', 'The body is too large.'),
  bad_request: text(400, 'Bad Request', 'This is not HTTP as we can read it.'),
  request_timeout: text(408, 'Request Timeout', 'The request did not arrive in time.'),
  headers_too_large: text(
    431,
    'Request Header Fields Too Large',
    'The headers or the address are too long.',
  ),
  order_not_found: text(404, 'Order not found', 'No such order on this account.'),
  session_required: text(401, 'Sign in required', 'No session, or it has ended.'),
  foreign_origin: text(403, 'Foreign origin', 'A page of another origin requested a change.'),
  session_not_found: text(404, 'Session not found', 'No such session of yours.'),
  key_not_found: text(404, 'Key not found', 'No such key on this account.'),
  statement_not_found: text(404, 'Statement not found', 'No such month, or it is yet to come.'),
  invoice_not_found: text(404, 'Invoice not found', 'No invoice of yours for this month.'),
  webhook_host_not_public: text(
    400,
    'Webhook URL must use a public host',
    'The host of the URL is not on the public internet, or not only there.',
  ),
  webhook_host_missing: text(400, 'Webhook URL must include a host', 'The URL has no host.'),
  webhook_host_unresolved: text(
    400,
    'Webhook host could not be resolved',
    'The name of the host has no address.',
  ),
  overloaded: text(
    503,
    'Service is busy, retry shortly',
    'The node is starting, draining or full.',
  ),
  server_error: text(500, 'Internal Server Error', 'Our fault; retry later.'),

  no_mail_server: error(503, 'No letter can be sent, so nobody can sign up by e-mail.', [
    'message',
  ]),
  terms_not_accepted: error(400, 'The terms or the privacy notice in force were not accepted.', [
    'message',
    'document',
    'version',
  ]),
  invalid_sign_up_link: error(401, 'The link was used, is over, or was never made.', ['message']),
  invalid_invitation: error(
    401,
    'The link was used or revoked, is over, or is for another address.',
    ['message'],
  ),
  invalid_login: error(401, 'E-mail address or password is wrong.', ['message']),
  invalid_code: error(401, 'The code is wrong, too old, or used already.', ['message']),
  second_factor_required: error(403, 'Set up an authenticator app or a passkey first.', [
    'message',
  ]),
  role_required: error(403, 'The role of this operator may not do this.', ['message']),
  code_required: error(403, 'The last code or passkey is older than ten minutes; show one.', [
    'message',
    'second_step',
  ]),
  invalid_passkey: error(401, 'Not a passkey of this account, or used, or late.', ['message']),
  passkey_limit: error(400, 'Too many passkeys; remove one.', ['message']),
  passkey_not_found: text(404, 'Passkey not found', 'No such passkey of yours.'),
  too_many_attempts: error(429, 'Too many wrong codes; sign in again.', ['message']),
  invalid_reset_link: error(401, 'The link was used, is over, or was never made.', ['message']),
  wrong_password: error(400, 'The current password is wrong.', ['message']),
  totp_enabled: error(409, 'The second step is on already.', ['message']),
  invalid_wallet: error(400, 'Not an address of a wallet.', ['message']),
  invalid_signature: error(401, 'Not a signature of the text by this wallet, or used, or late.', [
    'message',
  ]),
  wallet_taken: error(409, 'The wallet is linked to another account.', ['message']),
  only_login: error(409, 'Nobody could sign in any more.', ['message']),
  key_limit: error(400, 'Too many keys; revoke one.', ['message']),

  unsupported_resource: error(400, 'resource_type is not ENERGY.'),
  invalid_duration: error(400, 'duration is not 1h.'),
  invalid_idempotency_key: error(
    400,
    'Idempotency-Key is not 1 to 128 printable ASCII characters, or only spaces.',
  ),
  insufficient_balance: error(400, 'The spendable balance is below the price.', [
    'current_balance',
    'required_amount',
  ]),
  validation_error: error(400, 'It cannot be done as asked; message says what to change.', [
    'message',
  ]),
  account_blocked: error(403, 'An operator has blocked this account; nothing was charged.', [
    'message',
    'reason',
  ]),
  deposit_required: error(403, 'Webhooks need more than 1 TRX of confirmed deposits.', [
    'message',
    'required_sun',
    'deposited_sun',
  ]),
  webhook_limit: error(400, 'The account has as many webhooks as it can have.', ['message']),
  chat_unavailable: error(503, 'No messaging app is connected to this service.', ['message']),
  chat_limit: error(400, 'The account has as many chats as it can have.', ['message']),
  delivery_failed: error(502, 'The test delivery did not succeed.', ['message']),
  price_above_limit: error(400, 'The price is above max_price_sun.', ['price_sun']),
  quote_invalid: error(400, 'The quote is not of this account or amount, too late, or redeemed.'),
  quote_limit: error(400, 'The account has as many quotes as it can have.'),
  invalid_cursor: error(400, 'cursor is not a next_cursor of this account.', ['message']),
  duplicate_request: error(409, 'A request with this Idempotency-Key is still in flight.'),
  batch_refused: error(409, 'Another purchase of the batch was refused, so none was made.'),
  service_unavailable: error(503, 'Energy cannot be sold right now; nothing was charged.', [
    'message',
  ]),
  internal_error: error(500, 'Unexpected error; retry with the same Idempotency-Key.', ['message']),
  replay_running: error(409, 'A replay of this webhook is running.'),
  not_found: error(404, 'No such thing on this account.', ['message']),
  changed_meanwhile: error(409, 'Somebody else changed it since it was looked at.', ['message']),

  program_disabled: error(403, 'The agent program accepts no changes now.'),
  address_invalid: error(422, 'The address is not a TRON address.'),
  address_reserved: error(422, 'The address belongs to this service.'),
  ownership_not_proven: error(422, 'The signature was not made by the key of the address.'),
  address_taken: error(409, 'The address belongs to a configuration already.'),
  units_out_of_bounds: error(422, 'max_units is outside 1 to max_units_cap.'),
  energy_out_of_bounds: error(422, 'The Energy, or Energy × max_units, is outside the bounds.'),
  base_not_mtrx: error(422, 'The base payment is not a multiple of 0.001 TRX.'),
  base_below_cost: error(422, 'The base payment is below the price of the dearest hour.', [
    'cost_max_sun',
  ]),
  config_limit: error(422, 'You have as many configurations as are allowed.'),
  generated_limit: error(422, 'You have as many dedicated addresses as are allowed.'),
  below_min_balance: error(422, 'The balance is below the threshold of the program.', [
    'min_balance_sun',
    'balance_sun',
  ]),
  generated_not_deletable: error(409, 'A dedicated address is permanent; pause it instead.'),
  admin_paused: error(409, 'It was paused by support, and only support can resume it.'),

  not_deliverable: error(
    409,
    'The payment was not skipped, or for a reason that stays, or too long ago.',
  ),

  order_amount_below_minimum: code(400, 'resource_amount is below min_amount.'),
  order_amount_above_maximum: code(400, 'resource_amount is above max_amount.'),

  plan_not_found: twice(400, 'No such plan.'),
  autoenergy_insufficient_balance: twice(
    400,
    'The spendable balance does not cover the charge and the reserve.',
    {
      wire: 'insufficient_balance',
      extra: ['current_balance', 'required_amount', 'owed_trx'],
    },
  ),
  autoenergy_account_blocked: twice(403, 'An operator has blocked this account.', {
    wire: 'account_blocked',
    extra: ['reason'],
  }),
  autoenergy_not_found: twice(404, 'No such subscription on this account.', { wire: 'not_found' }),
  address_busy: twice(409, 'The address is being processed; retry shortly.'),
  address_exists: twice(
    409,
    'A subscription covers the address already, or a closed one of yours can be reactivated.',
  ),
  not_reactivatable: twice(409, 'The subscription cannot be reactivated as it is.'),
  not_deletable: twice(409, 'Only a closed subscription can be deleted.'),
  invalid_address: twice(422, 'Not an address that Energy can be given to.'),
  autoenergy_ownership_not_proven: twice(
    422,
    'The signature was not made by the key of the address.',
    { wire: 'ownership_not_proven' },
  ),
  fulfiller_unavailable: twice(502, 'The pool or the node cannot be reached; retry.'),
  autoenergy_temporarily_unavailable: twice(
    503,
    'AutoEnergy takes no addresses right now, or none of this account.',
  ),
  autoenergy_internal_error: twice(500, 'Unexpected error; retry later.', {
    wire: 'internal_error',
  }),
} as const satisfies Record<string, Entry>

export type RefusalCode = keyof typeof refusals

/** A refusal is a value that a use case returns; it is never thrown. */
export type Refusal = {
  readonly refused: RefusalCode
  readonly extra: Extra
  /** Seconds for the Retry-After header of a 429. */
  readonly retryAfter?: number
}

export function refuse(code: RefusalCode, extra: Extra = {}): Refusal {
  return { refused: code, extra }
}

export function refuseFor(seconds: number): Refusal {
  return { refused: 'rate_limited', extra: {}, retryAfter: seconds }
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'refused' in value
}

/**
 * The JSON body of a refusal; `base` is the service's own public address. bigint stays exact: these
 * bodies carry amounts.
 */
export function refusalBody(refusal: Refusal, base = ''): string {
  const { refused, extra } = refusal
  const entry: Entry = refusals[refused]
  const { message = wordsOf(refusal), ...others } = extra
  const help = { message, doc_url: docUrlOf(refused, base) }
  if (entry.shape === 'text') return `{"detail":${literal(entry.text)},${members(help)}}`
  const named = { [entry.shape === 'code' ? 'code' : 'error']: wireCode(refused) }
  if (!entry.extra?.includes('message')) {
    return `{"detail":{${members({ ...named, ...others })}},${members(help)}}`
  }
  const fields = members({ ...named, message, ...others, doc_url: help.doc_url })
  return entry.shape === 'twice' ? `{${fields},"detail":{${fields}}}` : `{"detail":{${fields}}}`
}

/** What happened and what to do, in the words of the tables. */
function wordsOf({ refused, extra, retryAfter }: Refusal): string {
  const table: Record<RefusalCode, Help> = refusalHelp
  const { says, next } = table[refused]
  return `${says?.(extra, retryAfter) ?? refusals[refused].when} ${next}`
}

/** The list of faults is not of the table: it has no code of its own. */
export const INVALID_REQUEST = 'invalid_request'

/** The body of a 422 that lists the faults of a request. */
export function faultsBody(detail: readonly { loc: unknown[]; msg: string }[], base = ''): string {
  const message = detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || loc[0]}: ${msg}.`)
  const next = 'Correct it, then send the request again.'
  const help = { message: `${message.join(' ')} ${next}`, doc_url: docUrlOf(INVALID_REQUEST, base) }
  return `{"detail":${JSON.stringify(detail)},${members(help)}}`
}

/** The page that explains a refusal. Without a base it is an address on the same host. */
export function docUrlOf(code: RefusalCode | typeof INVALID_REQUEST, base: string): string {
  return `${base}/docs/errors/${code}`
}

/** What a client reads as the code. */
export function wireCode(code: RefusalCode): string {
  const { wire }: Entry = refusals[code]
  return wire ?? code
}

function members(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${literal(value)}`)
    .join(',')
}

function literal(value: unknown): string {
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}

function text(status: number, body: string, when: string) {
  return { status, shape: 'text', text: body, when } as const
}

function error(status: number, when: string, extra: readonly string[] = []) {
  return { status, shape: 'error', when, extra } as const
}

function twice(
  status: number,
  when: string,
  { wire, extra = [] }: { wire?: string; extra?: readonly string[] } = {},
) {
  const entry = { status, shape: 'twice', when, extra: ['message', ...extra] } as const
  return wire === undefined ? entry : ({ ...entry, wire } as const)
}

function code(status: number, when: string) {
  return { status, shape: 'code', when, extra: ['message', 'min', 'max'] } as const
}
