import { formatTrx } from './trx.ts'

/** What a refusal carries beside its code. */
export type Extra = Readonly<Record<string, string | number | bigint | boolean | null>>
export type Help = {
  /** What to do next, in a sentence: the end of `message`, and a part of the code's page. */
  next: string
  /** What happened, with the amounts of this answer in TRX. Without it: the `when` of the table. */
  says?(extra: Extra, retryAfter: number | undefined): string
}

const AGAIN_WITH_KEY =
  'Nothing was charged. Send the same request again in a minute, with the same Idempotency-Key.'
const READ_CONFIGS = 'List your configurations by GET /v1/agent/configs.'
const LIMITS = 'GET /v1/agent/summary has the bounds, energy_min and energy_max.'
const DEPOSIT =
  'Send TRX to your deposit address (GET /v1/account has it), then send the same request again.'
const BLOCKED =
  'Reading works as before, and deposits are credited. Write to support; nothing has to be done again once it is unblocked.'
const SIGN_IN = 'Sign in again.'

/** What a client can do about each refusal. The messages of the API and the pages at /docs/errors are made of it. */
export const refusalHelp = {
  api_key_required: {
    next: 'Send your API key in the header X-API-Key. The workspace makes keys; the sandbox prints one at its start.',
  },
  invalid_api_key: { next: 'Check that the key is complete, or make a new one in the workspace.' },
  user_not_found: { next: 'Use a key of a user who still exists, or ask support.' },
  rate_limited: {
    says: (_extra, retryAfter) =>
      retryAfter === undefined
        ? 'Too many requests.'
        : `Too many requests; the next one is accepted in ${retryAfter} s.`,
    next: 'Wait the seconds of Retry-After, then go on more slowly.',
  },
  not_found_path: {
    next: 'Check the address: paths of the API begin with /v1, and /docs lists them.',
  },
  host_required: { next: 'Send a Host header, as HTTP/1.1 demands.' },
  method_not_allowed: { next: 'Use a method that the header Allow names.' },
  body_too_large: { next: 'Send less in one request; 64 KiB are the most.' },
  bad_request: { next: 'Send a request in HTTP/1.1; a usual HTTP client does.' },
  request_timeout: { next: 'Send the whole request within 30 seconds; open a new connection.' },
  headers_too_large: { next: 'Send shorter headers and a shorter address; 16 KiB are the most.' },
  order_not_found: { next: 'Check the id; GET /v1/orders lists the orders of this account.' },
  session_required: { next: SIGN_IN },
  foreign_origin: { next: 'Use the page of this service; a program uses the API with a key.' },
  session_not_found: { next: 'Load the list of sessions again.' },
  key_not_found: { next: 'Load the list of keys again.' },
  statement_not_found: { next: 'Ask for a month that has begun, as YYYY-MM.' },
  invoice_not_found: { next: 'Load the list of invoices; a month without movements has none.' },
  webhook_host_not_public: {
    next: 'Give an https address that the internet can reach. In the sandbox, npx ergon listen forwards to a server on your machine, and POST /sandbox/webhook-sink makes a receiver.',
  },
  webhook_host_missing: { next: 'Give a whole address, such as https://example.com/hook.' },
  webhook_host_unresolved: { next: 'Check the name, or wait until its DNS record is published.' },
  overloaded: { next: 'Send the same request again in a few seconds.' },
  server_error: {
    next: 'Send the same request again, a purchase with the same Idempotency-Key. If it goes on, tell support the X-Request-Id.',
  },

  no_mail_server: { next: 'Sign in with a wallet, or ask the operator of this service.' },
  terms_not_accepted: { next: 'Open /terms and /privacy, and send the versions shown there.' },
  invalid_sign_up_link: { next: 'Sign up again; a new link comes by e-mail.' },
  invalid_invitation: { next: 'Ask an administrator of the console for a new one.' },
  invalid_login: {
    next: 'Check both, or set a new password through the link on the sign-in page.',
  },
  invalid_code: { next: 'Wait for the next code of the app and enter it.' },
  second_factor_required: { next: 'Set it up, then do this again.' },
  role_required: { next: 'Ask an administrator of the console.' },
  code_required: {
    next: 'Send a code of the authenticator app or show a passkey, then send the same request again.',
  },
  invalid_passkey: { next: 'Ask for a new challenge and show a passkey of this account.' },
  passkey_limit: { next: 'Remove a passkey that is not used, then add the new one.' },
  passkey_not_found: { next: 'Load the list of passkeys again.' },
  too_many_attempts: { next: SIGN_IN },
  invalid_reset_link: { next: 'Ask for a new link on the sign-in page.' },
  wrong_password: { next: 'Enter the password that you sign in with now.' },
  totp_enabled: { next: 'Turn it off first to set up another app.' },
  invalid_wallet: { next: 'Give an address of TRON: 34 characters that start with T.' },
  invalid_signature: { next: 'Ask for a new text and sign exactly that.' },
  wallet_taken: { next: 'Unlink it there first, or link another wallet.' },
  only_login: { next: 'Add an e-mail address and a password first.' },
  key_limit: { next: 'Revoke a key that is not used, then make a new one.' },

  unsupported_resource: { next: 'Leave resource_type out, or send ENERGY.' },
  invalid_duration: { next: 'Leave duration out, or send 1h.' },
  invalid_idempotency_key: { next: 'Send a shorter key, such as a UUID of your order.' },
  insufficient_balance: {
    says: (extra) =>
      `This costs ${trx(extra, 'required_amount')} TRX and ${trx(extra, 'current_balance')} TRX can be spent. Nothing was charged.`,
    next: DEPOSIT,
  },
  validation_error: { next: 'Change what the message names, then send it again.' },
  account_blocked: { next: BLOCKED },
  deposit_required: {
    next: 'Send TRX to your deposit address, and wait until the deposit is confirmed.',
  },
  webhook_limit: { next: 'Delete a webhook that is not used.' },
  chat_unavailable: { next: 'Use webhooks, or ask the operator of this service.' },
  chat_limit: { next: 'Remove a chat that is not used.' },
  delivery_failed: {
    next: 'Check that your server answers with a status from 200 to 299 within 5 seconds, then test again.',
  },
  price_above_limit: {
    says: (extra) =>
      `The price is ${trx(extra, 'price_sun')} TRX now, which is above max_price_sun. Nothing was charged.`,
    next: 'Raise max_price_sun, or wait for a cheaper hour: GET /v1/public/pricing has the prices of the day.',
  },
  quote_invalid: {
    next: 'Nothing was charged. Ask for a new quote, or buy without one at the price of now.',
  },
  quote_limit: { next: 'Redeem a quote, or wait until one ends.' },
  invalid_cursor: { next: 'Leave cursor out to start with the newest entry.' },
  duplicate_request: {
    next: 'Send the same request again in a second: it returns the answer of the first one.',
  },
  batch_refused: {
    next: 'Correct the purchases that carry refusals of their own, then send the batch again with the same keys.',
  },
  service_unavailable: { next: AGAIN_WITH_KEY },
  internal_error: {
    next: 'Send the same request again with the same Idempotency-Key: nothing is bought twice.',
  },
  replay_running: {
    next: 'Wait until it has ended; GET /v1/webhooks/{id}/deliveries shows how far it is.',
  },
  not_found: { next: 'Check the id; the list of the same path has all ids.' },
  changed_meanwhile: { next: 'Load it again, then repeat the change.' },

  program_disabled: {
    next: 'Read only for now; sales of active configurations go on. Try again later.',
  },
  address_invalid: {
    next: 'Give an address of a wallet: 34 characters that start with T, no contract.',
  },
  address_reserved: { next: 'Give an address of your own, or leave it out for a dedicated one.' },
  ownership_not_proven: {
    next: 'Sign "<account_id>:<address>" with signMessageV2 by the key of this address.',
  },
  address_taken: {
    next: `Use another address, or prove by ownership_signature that it is yours. ${READ_CONFIGS}`,
  },
  units_out_of_bounds: { next: 'Send max_units from 1 to max_units_cap of GET /v1/agent/summary.' },
  energy_out_of_bounds: { next: LIMITS },
  base_not_mtrx: { next: 'Round base_payment_sun to a multiple of 1000, which is 0.001 TRX.' },
  base_below_cost: {
    says: (extra) =>
      `The base payment is below ${trx(extra, 'cost_max_sun')} TRX, the price of the dearest hour.`,
    next: 'Ask for at least that much.',
  },
  config_limit: { next: `Delete a configuration that is not used. ${READ_CONFIGS}` },
  generated_limit: { next: 'Use an address of your own for this configuration (mode own).' },
  below_min_balance: {
    says: (extra) =>
      `The program needs a balance of ${trx(extra, 'min_balance_sun')} TRX; yours is ${trx(extra, 'balance_sun')} TRX.`,
    next: DEPOSIT,
  },
  generated_not_deletable: { next: 'Pause it by POST /v1/agent/configs/{id}/pause.' },
  admin_paused: { next: 'Ask support for the reason.' },

  not_deliverable: {
    next: 'GET /v1/agent/payments has its status and skip_reason. A payment of the last minute is not final yet: ask again then.',
  },

  order_amount_below_minimum: { next: 'Order at least min.' },
  order_amount_above_maximum: { next: 'Split it into orders of at most max.' },

  plan_not_found: { next: 'Choose a plan of GET /v1/public/pricing.' },
  autoenergy_account_blocked: { next: BLOCKED },
  autoenergy_insufficient_balance: {
    says: (extra) =>
      `${trx(extra, 'required_amount')} TRX are needed and ${trx(extra, 'current_balance')} TRX can be spent.`,
    next: DEPOSIT,
  },
  autoenergy_not_found: { next: 'GET /v1/autoenergy/subscriptions lists those of this account.' },
  address_busy: { next: 'Send the same request again in a few seconds.' },
  address_exists: {
    next: 'Reactivate the closed subscription, or read the one that covers the address.',
  },
  not_reactivatable: { next: 'Read its status; only a closed subscription can be reactivated.' },
  not_deletable: { next: 'Close it first, then delete it.' },
  invalid_address: { next: 'Give the address of a wallet that is active on the chain.' },
  autoenergy_ownership_not_proven: {
    next: 'Sign "<account_id>:<address>" with signMessageV2 by the key of this address.',
  },
  fulfiller_unavailable: { next: 'Nothing was charged. Try again in a minute.' },
  autoenergy_temporarily_unavailable: { next: 'Nothing was charged. Try again later.' },
  autoenergy_internal_error: { next: 'Read the subscription before you try again.' },
} satisfies Record<string, Help>

/** An amount of SUN as TRX: people think in TRX. */
function trx(extra: Extra, name: string): string {
  return formatTrx(BigInt(extra[name] as bigint | number))
}
