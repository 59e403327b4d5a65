import { CannotStart } from './assert.ts'

/**
 * Every setting of the service: name, default and meaning in one table. docs/operating/settings.md and
 * `npx ergon config` print it; nothing else reads the environment.
 */
type Setting<T> = {
  default: string
  meaning: string
  expected: string
  parse(text: string): T | undefined
}

function setting<T>(
  fallback: string,
  meaning: string,
  [expected, parse]: readonly [string, (text: string) => T | undefined],
): Setting<T> {
  return { default: fallback, meaning, expected, parse }
}

const text = ['any text', (value: string) => value] as const
const port = ['a port from 0 to 65535', wholeNumber(0, 65_535)] as const
const optionalPort = ['empty, or a port', (v: string) => (v === '' ? null : port[1](v))] as const
const milliseconds = ['milliseconds, 0 to 3600000', wholeNumber(0, 3_600_000)] as const
const wholeTrx = ['whole TRX, up to 999999999', wholeNumber(1, 999_999_999)] as const
const optionalTrx = [
  'empty, or whole TRX, up to 999999999',
  (v: string) => (v === '' ? null : wholeTrx[1](v)),
] as const
const address = [
  'empty, or an https address without user, query and fragment (http on this machine only)',
  marketplaceAddress,
] as const
const tronAddress = [
  'empty, or an address of 34 characters that starts with T',
  (value: string) => (/^(T[1-9A-HJ-NP-Za-km-z]{33})?$/.test(value) ? value : undefined),
] as const
const secret = ['visible ASCII characters', visibleAscii] as const
const mailServer = [
  'empty, or smtp://host:port or smtps://host:port',
  (value: string) =>
    /^(smtps?:\/\/(\[[\da-f:]+\]|[\w.-]+)(:\d+)?\/?)?$/i.test(value) ? value : undefined,
] as const
const collector = [
  'empty, or an http or https address without user, query and fragment',
  (value: string) => (value === '' || isPlainUrl(value) ? value : undefined),
] as const
const list = [
  'a comma-separated list',
  (value: string) => value.split(',').flatMap((part) => part.trim() || []),
] as const
const databases = [
  'PostgreSQL URLs with commas between them, or one URL with several hosts',
  databaseUrls,
] as const

export const settings = {
  MODE: setting(
    'sandbox',
    'sandbox runs everything offline; production talks to a real node',
    oneOf(['sandbox', 'production']),
  ),
  ROLE: setting(
    'all',
    'what this process does; the signer is a program of its own',
    oneOf(['all', 'api', 'worker', 'scanner']),
  ),
  HOST: setting('127.0.0.1', 'address the HTTP server listens on', text),
  PORT: setting('8080', 'port of the HTTP server', port),
  WEB_URL: setting(
    '',
    'the workspace as browsers see it, such as https://app.example.com; passkeys belong to its host; empty: only in the sandbox',
    text,
  ),
  METRICS_PORT: setting(
    '',
    "the operator's port, with /metrics; empty: none in production, the main port in the sandbox",
    optionalPort,
  ),
  METRICS_HOST: setting('127.0.0.1', 'address METRICS_PORT listens on; keep strangers out', text),
  DATA_DIR: setting('.data', 'where the embedded database and the devnet keep their files', text),
  DATABASE_URL: setting(
    '',
    'existing PostgreSQL servers, as ergon_app; the one that can be written to is used',
    databases,
  ),
  DATABASE_API_URL: setting(
    '',
    'the same servers as ergon_api, which can ask for no signature; for ROLE=api instead of DATABASE_URL',
    databases,
  ),
  DATABASE_ADMIN_URL: setting(
    '',
    'the same servers as ergon_admin; set it to migrate at start',
    databases,
  ),
  DATABASE_SIGNER_URL: setting('', 'the same servers as ergon_signer, for the signer', databases),
  TRON_URL: setting('', 'one or several TRON full nodes; empty in the sandbox: the devnet', list),
  TRON_SOLIDITY_URL: setting(
    '',
    'where each of them serves /walletsolidity, in the same order; empty: at its own address or on the next port',
    list,
  ),
  TRON_API_KEY: setting('', 'sent to the node as TRON-PRO-API-KEY', text),
  USDT_CONTRACT: setting(
    '',
    "USDT of the network; empty: mainnet's, in the sandbox the devnet's",
    tronAddress,
  ),
  DEPOSIT_XPUB: setting('', 'extended public key that deposit addresses derive from', text),
  SIGNER_KEY_FILE: setting('', 'encrypted key file of the signer (npx ergon keys create)', text),
  SIGNER_PASSPHRASE_FILE: setting('', 'file with the passphrase of SIGNER_KEY_FILE', text),
  SIGNER_MNEMONIC_FILE: setting('', 'the mnemonic in plain text; in the sandbox only', text),
  SIGNER_DIR: setting(
    '',
    "folder of the signer's own files (npx ergon signer init); without it no payout is signed",
    text,
  ),
  SIGNER_STAKES: setting(
    '',
    'stakes whose owners let our delegate key act, as address:permission id; empty: our own',
    list,
  ),
  SIGNER_HOURLY_TRX_MAX: setting(
    '100000000',
    'stake the signer lets be delegated within an hour, in TRX',
    wholeTrx,
  ),
  SIGNER_DAILY_TRX_MAX: setting(
    '',
    'stake the signer lets be delegated within 24 hours, in TRX; empty: 8 times the hourly limit',
    optionalTrx,
  ),
  SIGNER_HOURLY_SWEEP_TRX_MAX: setting(
    '1000000',
    'TRX the signer lets be swept to the hot wallet within an hour',
    wholeTrx,
  ),
  SIGNER_DAILY_SWEEP_TRX_MAX: setting(
    '',
    'TRX the signer lets be swept to the hot wallet within 24 hours; empty: 8 times the hourly limit',
    optionalTrx,
  ),
  SIGNER_HOURLY_PAYOUT_TRX_MAX: setting(
    '10000',
    'TRX the signer lets be paid out within an hour',
    wholeTrx,
  ),
  SIGNER_DAILY_PAYOUT_TRX_MAX: setting(
    '',
    'TRX the signer lets be paid out within 24 hours; empty: 8 times the hourly limit',
    optionalTrx,
  ),
  SIGNER_HOURLY_STAKE_TRX_MAX: setting(
    '100000',
    'TRX the signer freezes within an hour, and the same of unfreezing',
    wholeTrx,
  ),
  SIGNER_DAILY_STAKE_TRX_MAX: setting(
    '',
    'TRX the signer freezes within 24 hours, and the same of unfreezing; empty: 8 times the hourly limit',
    optionalTrx,
  ),
  SECRETS_KEY_FILE: setting(
    '',
    'file with the key (64 hex digits) that seals signing secrets, the same on every node; further lines hold keys that only open; empty: made in DATA_DIR',
    text,
  ),
  SWEEP_MIN_TRX: setting(
    '10',
    'TRX on a deposit address from which it is swept to the hot wallet',
    wholeTrx,
  ),
  CLAIM_MIN_TRX: setting(
    '',
    "rewards of a stake's votes, in TRX, from which they are claimed by themselves; empty: operators claim",
    optionalTrx,
  ),
  UNVERIFIED_CREDIT_LIMIT_TRX: setting(
    '10000',
    'TRX of deposits that one account can spend before their blocks are final',
    wholeTrx,
  ),
  UNVERIFIED_CREDIT_HOUSE_TRX: setting(
    '100000',
    'the same of all accounts together; the first 200 TRX of each do not count, and none has more than a tenth',
    wholeTrx,
  ),
  ADJUSTMENT_LIMIT_TRX: setting(
    '100',
    'TRX of adjustments that one operator may book within 24 hours without a second operator',
    wholeTrx,
  ),
  CATFEE_URL: setting('https://api.catfee.io', 'address of CatFee', address),
  CATFEE_KEY: setting('', 'API key at CatFee; empty: nothing is bought there', secret),
  CATFEE_SECRET: setting('', 'API secret at CatFee, for signatures', secret),
  ITRX_URL: setting('https://itrx.io/api/v1/frontend', 'address of iTRX', address),
  ITRX_KEY: setting('', 'API key at iTRX; empty: nothing is bought there', secret),
  ITRX_SECRET: setting('', 'API secret at iTRX, for signatures', secret),
  TRONSAVE_URL: setting('https://api.tronsave.io', 'address of TronSave', address),
  TRONSAVE_KEY: setting('', 'API key at TronSave; empty: nothing is bought there', secret),
  TRONZAP_URL: setting('https://api.tronzap.com', 'address of TronZap', address),
  TRONZAP_KEY: setting('', 'API token at TronZap; empty: nothing is bought there', secret),
  TRONZAP_SECRET: setting('', 'API secret at TronZap, for signatures', secret),
  UPSTREAM_URL: setting('', 'another Ergon to buy from: its base address, ending in /v1', address),
  UPSTREAM_KEY: setting('', 'API key at that Ergon; empty: nothing is bought there', secret),
  UPSTREAM_2_URL: setting('', 'a second Ergon to buy from, ending in /v1', address),
  UPSTREAM_2_KEY: setting(
    '',
    'API key at the second Ergon; empty: nothing is bought there',
    secret,
  ),
  TELEGRAM_URL: setting('https://api.telegram.org', "address of Telegram's Bot API", address),
  TELEGRAM_TOKEN: setting('', 'token of our bot at Telegram; empty: no chats there', secret),
  SMTP_URL: setting(
    '',
    'mail server for letters, such as smtps://mail.example.com; empty: none, and no sign-up by e-mail',
    mailServer,
  ),
  SMTP_USER: setting('', 'user at the mail server', text),
  SMTP_PASSWORD: setting('', 'password at the mail server', text),
  MAIL_FROM: setting('Ergon <ergon@localhost>', 'sender of letters', text),
  TERMS_FILE: setting(
    '',
    'the terms of use, a file ending in .md or .txt; empty: a sample in the sandbox, none in production',
    text,
  ),
  PRIVACY_FILE: setting('', 'the privacy notice, in the same way', text),
  COMPANY_NAME: setting('', 'who issues invoices: the name printed on them', text),
  COMPANY_ADDRESS: setting('', 'its address, with ; between the lines', text),
  COMPANY_REGISTRATION: setting('', 'its number in a register of companies', text),
  COMPANY_TAX_NUMBER: setting('', 'its tax number', text),
  COMPANY_EMAIL: setting('', 'where clients write about an invoice', text),
  COMPANY_NOTE: setting('', 'a line at the end of every invoice', text),
  DEVNET_PORT: setting('8090', 'port of the devnet in the sandbox', port),
  BLOCK_MS: setting('3000', 'milliseconds between blocks of the devnet', milliseconds),
  SOLID_LAG: setting('6', 'blocks until a devnet block is solid', [
    '1 to 100',
    wholeNumber(1, 100),
  ]),
  TRUSTED_PROXIES: setting('', 'addresses whose X-Forwarded-For counts', list),
  TRACES_URL: setting(
    '',
    'an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; empty: no traces',
    collector,
  ),
  LOG_LEVEL: setting(
    'warn',
    'how much is logged, as JSON lines on standard error',
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
  ),
}

export type Settings = {
  [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer T> ? T : never
}

/** Reads all settings. The first invalid one stops the start with its name and the expected format. */
export function readSettings(environment: Record<string, string | undefined>): Settings {
  const read: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    const given = environment[name] ?? setting.default
    const value = setting.parse(given)
    if (value === undefined) {
      const shown = isSecret(name) ? 'not what it should be' : `"${given}"`
      throw new CannotStart(`${name} is ${shown}; expected ${setting.expected}.`)
    }
    read[name] = value
  }
  return read as Settings
}

/** Settings with a secret value, which is neither printed nor logged. */
export function isSecret(name: string): boolean {
  return /_(KEY|TOKEN|SECRET|PASSWORD)$/.test(name)
}

/** The environment enters the program here and nowhere else. */
export function environment(): Record<string, string | undefined> {
  return process.env
}

function oneOf<const T extends string>(words: readonly T[]) {
  const parse = (value: string) => words.find((word) => word === value)
  return [`one of ${words.join(', ')}`, parse] as const
}

function wholeNumber(least: number, most: number) {
  return (value: string): number | undefined => {
    if (!/^\d{1,9}$/.test(value)) return undefined
    const parsed = Number(value)
    return parsed >= least && parsed <= most ? parsed : undefined
  }
}

function isPlainUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return /^https?:$/.test(protocol) && !(username || password || search || hash)
}

/** Plain HTTP is allowed for this machine only, because every request carries a key. */
function marketplaceAddress(value: string): string | undefined {
  if (value === '') return value
  if (!URL.canParse(value)) return undefined
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  const isLocal = protocol === 'http:' && /^(127(\.\d+){3}|localhost|\[::1\])$/.test(hostname)
  if (protocol !== 'https:' && !isLocal) return undefined
  return username || password || search || hash ? undefined : value
}

/** A part without a scheme is a further host of the URL before it, as libpq writes several. */
function databaseUrls(value: string): string[] {
  const urls: string[] = []
  for (const part of value.split(',').flatMap((one) => one.trim() || [])) {
    if (part.includes('://') || urls.length === 0) urls.push(part)
    else urls.push(`${urls.pop()},${part}`)
  }
  return urls.flatMap((url) => {
    const [, before = '', hosts = '', after = ''] =
      /^([a-z]+:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/i.exec(url) ?? []
    if (!hosts.includes(',')) return url
    return hosts.split(',').map((host) => before + host.trim() + after)
  })
}

/** Accepts only characters of a header: a pasted line break would fail at the first request. */
function visibleAscii(value: string): string | undefined {
  return /^[\x21-\x7e]{0,512}$/.test(value) ? value : undefined
}
