import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { troubleOfPages } from '../../web/index.ts'
import {
  assertMigrated,
  assertOwnSessions,
  collectSchema,
  ensureDatabase,
  findPrimary,
  migrate,
  startPostgres,
} from '../db/index.ts'
import { createTraces } from '../http/index.ts'
import { readTerms } from '../identity/index.ts'
import {
  CannotStart,
  createLog,
  environment,
  type Log,
  readSettings,
  type Settings,
  sun,
  systemRandom,
  systemRuntime,
} from '../kernel/index.ts'
import { ensureSignerFiles } from '../operator/index.ts'
import { accessesOf, createMarketplaces, type MarketplaceAccess } from '../providers/index.ts'
import { sinkUrlOf } from '../sandbox-api/index.ts'
import { WILL_WAKE } from '../signing/index.ts'
import { type App, openApp } from './app.ts'
import {
  type Child,
  type DevnetReady,
  devnetProgram,
  signerProgram,
  startChild,
} from './children.ts'
import { assertPortFree, claimDataFolder } from './dataFolder.ts'
import { claimMinOf, creditLimitsOf, issuerOf, nodesOf } from './options.ts'
import { awaitSameKeys } from './sameKeys.ts'
import { describeSandbox, type SandboxFile } from './sandbox.ts'
import {
  SANDBOX_DEPOSIT_XPUB,
  SANDBOX_HOT_ADDRESS,
  SANDBOX_MNEMONIC_FILE,
  SANDBOX_STAKE,
  SANDBOX_USDT_CONTRACT,
  sandboxGenesis,
} from './sandboxNetwork.ts'
import { SANDBOX_OPERATORS } from './sandboxOperators.ts'
import { readSecretsKeys, type SecretsKeys } from './secretsKey.ts'

const CLOSE_MS_MAX = 10_000
/** Polling interval of the head. The devnet tells of a new block itself. */
const SCAN_MS = 1_000

type Stop = () => Promise<void> | void

/** Things that were started, in order; they are stopped in the reverse order. */
const running: Stop[] = []
let starting: Promise<void> | undefined
let closing = false

/** Registers a stop function; a signal in the meantime ends the start here. */
function started(stop: Stop) {
  running.push(stop)
  if (closing) throw new CannotStart('Stopped while starting.')
}

type Databases = { app: string[]; signer: string[] }

async function run(settings: Settings) {
  checkPages(settings)
  const log = createLog(settings.LOG_LEVEL)
  const { folder, release } = await claimDataFolder(settings.DATA_DIR)
  started(release)
  await assertPortsFree(settings)
  const sandbox = settings.MODE === 'sandbox'
  const parts = [
    openDatabase(settings, folder),
    sandbox ? startDevnet(settings, folder) : undefined,
  ] as const
  // Wait for all, also when one fails: a half-started part could not be stopped.
  await Promise.allSettled(parts)
  const [databases, devnetChild] = await Promise.all(parts)
  const devnet = devnetChild?.first as DevnetReady | undefined
  const devnetUrl = devnet?.url
  const signer = await startSigner(settings, databases, devnet && { folder, devnet })
  const secretsKeys = readSecretsKeys(settings.SECRETS_KEY_FILE, folder, systemRandom)
  const made = { log, databases, devnet, signer, secretsKeys }
  const options = appOptions(settings, made)
  await awaitSameKeys(options, { isStopping: () => closing, say: (text) => console.error(text) })
  const app = await openApp(options)
  started(app.close)
  signer?.send(WILL_WAKE)
  signer?.onMessage(() => app.rooms.chain.broadcasts.loop.wake())
  devnetChild?.onMessage(() => app.rooms.chain.scanLoop.wake())
  const isAlone = settings.ROLE === 'all'
  if (devnetUrl) announceSandbox(await describeSandbox(app, { folder, devnetUrl, isAlone, log }))
  else announce(settings, app)
}

function appOptions(
  settings: Settings,
  made: {
    log: Log
    databases: Databases
    devnet: DevnetReady | undefined
    signer: Child | undefined
    secretsKeys: SecretsKeys
  },
) {
  const { devnet, signer } = made
  const devnetUrl = devnet?.url
  const runtime = systemRuntime()
  const depositXpub = settings.DEPOSIT_XPUB || (devnetUrl ? SANDBOX_DEPOSIT_XPUB : '')
  if (!depositXpub) throw new CannotStart('Set DEPOSIT_XPUB: deposit addresses derive from it.')
  const nodes = nodesOf(settings, devnet?.node)
  if (nodes.nodeUrls.length === 0)
    throw new CannotStart('Set TRON_URL to one or several full nodes.')
  return {
    databaseUrls: made.databases.app,
    host: settings.HOST,
    port: settings.PORT,
    metricsAt: metricsAddress(settings),
    trustedProxies: settings.TRUSTED_PROXIES,
    webUrl: settings.WEB_URL,
    role: settings.ROLE,
    sandbox: devnetUrl ? { devnetUrl, solidLag: settings.SOLID_LAG } : undefined,
    ...nodes,
    scanMs: SCAN_MS,
    blockMs: devnetUrl ? settings.BLOCK_MS : undefined,
    depositXpub,
    ...usdtContract(settings, devnetUrl),
    sweepMin: sun(BigInt(settings.SWEEP_MIN_TRX) * 1_000_000n),
    claimMin: claimMinOf(settings),
    creditLimits: creditLimitsOf(settings),
    issuer: issuerOf(settings),
    texts: ['all', 'api'].includes(settings.ROLE) ? readTerms(settings) : [],
    adjustmentLimit: sun(BigInt(settings.ADJUSTMENT_LIMIT_TRX) * 1_000_000n),
    marketplaces: createMarketplaces(accesses(settings, devnet), runtime),
    standIns: new Map(devnet?.marketplaces.map(({ name, control_url }) => [name, control_url])),
    webhooks: {
      ...made.secretsKeys,
      sinkUrl: devnetUrl ? sinkUrlOf(devnetUrl) : undefined,
    },
    mail: mailOptions(settings),
    chat: { telegram: telegramAccess(settings, devnet) },
    wakeSigner: () => signer?.send('wake'),
    runtime,
    log: made.log,
    traces: tracesOf(settings, made.log),
  }
}

/** The marketplaces with a key; in the sandbox stand-ins replace those without. */
function accesses(settings: Settings, devnet: DevnetReady | undefined): MarketplaceAccess[] {
  const real = accessesOf(settings)
  const known = new Set(real.map(({ name }) => name))
  return [...real, ...(devnet?.marketplaces.filter(({ name }) => !known.has(name)) ?? [])]
}

function usdtContract({ USDT_CONTRACT }: Settings, devnetUrl: string | undefined) {
  const known = USDT_CONTRACT || (devnetUrl ? SANDBOX_USDT_CONTRACT : undefined)
  return known === undefined ? {} : { usdtContract: known }
}

/** Our bot at Telegram; in the sandbox, without a token, the stand-in. */
function telegramAccess(settings: Settings, devnet: DevnetReady | undefined) {
  const { TELEGRAM_URL: url, TELEGRAM_TOKEN: token } = settings
  return token ? { url, token } : devnet?.telegram
}

function tracesOf({ TRACES_URL: url, ROLE: role }: Settings, log: Log) {
  return url ? createTraces({ url, role, log }) : undefined
}

function metricsAddress({ METRICS_HOST: host, METRICS_PORT: port }: Settings) {
  return port === null ? null : { host, port }
}

function mailOptions({ MODE, SMTP_URL, SMTP_USER, SMTP_PASSWORD, MAIL_FROM }: Settings) {
  if (!SMTP_URL) return MODE === 'sandbox' ? ('log' as const) : undefined
  return { url: SMTP_URL, user: SMTP_USER, password: SMTP_PASSWORD, from: MAIL_FROM }
}

async function assertPortsFree(settings: Settings) {
  const { HOST, PORT, METRICS_HOST, METRICS_PORT, DEVNET_PORT, MODE } = settings
  await assertPortFree(HOST, PORT, 'PORT')
  if (METRICS_PORT !== null) await assertPortFree(METRICS_HOST, METRICS_PORT, 'METRICS_PORT')
  if (MODE === 'sandbox') await assertPortFree('127.0.0.1', DEVNET_PORT, 'DEVNET_PORT')
}

/** The configured server, or the embedded one, migrated before the rooms connect. */
async function openDatabase(settings: Settings, folder: string): Promise<Databases> {
  const named = namedDatabases(settings)
  if (named.length > 0) {
    const { DATABASE_ADMIN_URL: admin } = settings
    if (admin.length > 0) {
      await assertOwnSessions(admin, systemRuntime())
      await migrate(await findPrimary(admin), collectSchema(), { atStart: true })
    } else await assertMigrated(await findPrimary(named))
    await assertOwnSessions(named, systemRuntime())
    return { app: named, signer: settings.DATABASE_SIGNER_URL }
  }
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  started(postgres.stop)
  await ensureDatabase(postgres)
  await migrate(postgres.url('ergon_admin'))
  const role = settings.ROLE === 'api' ? 'ergon_api' : 'ergon_app'
  return { app: [postgres.url(role)], signer: [postgres.url('ergon_signer')] }
}

/** HTTP processes use the role ergon_api: a process that is open to the internet cannot request signatures. */
function namedDatabases({ ROLE, DATABASE_URL, DATABASE_API_URL }: Settings): string[] {
  if (ROLE !== 'api') return DATABASE_URL
  if (DATABASE_URL.length > 0 && DATABASE_API_URL.length === 0) {
    throw new CannotStart(
      'Set DATABASE_API_URL: with ROLE=api a process connects as ergon_api, which can ask for no signature.',
    )
  }
  return DATABASE_API_URL
}

async function startDevnet(settings: Settings, folder: string): Promise<Child> {
  const genesis = join(folder, 'genesis.json')
  writeFileSync(genesis, JSON.stringify(sandboxGenesis))
  const program = devnetProgram(settings, folder, genesis)
  const child = await startChild({ ...program, onExit: () => childEnded('devnet') })
  started(child.stop)
  return child
}

/** In role `all` the signer is a child; otherwise it runs separately and shares only the database. */
async function startSigner(
  settings: Settings,
  { signer }: Databases,
  sandbox: { folder: string; devnet: DevnetReady } | undefined,
): Promise<Child | undefined> {
  if (settings.ROLE !== 'all' || signer.length === 0) return undefined
  const program = signerProgram(sandbox ? withSandboxKeys(settings, sandbox) : settings, signer)
  const child = await startChild({ ...program, onExit: () => childEnded('signer') })
  started(child.stop)
  return child
}

/** Adds the published keys and operators of the sandbox, unless the settings name others. */
function withSandboxKeys(
  settings: Settings,
  { folder, devnet }: { folder: string; devnet: DevnetReady },
): Settings {
  const { SIGNER_KEY_FILE, SIGNER_MNEMONIC_FILE } = settings
  if (SIGNER_KEY_FILE || SIGNER_MNEMONIC_FILE) return settings
  const SIGNER_DIR = settings.SIGNER_DIR || join(folder, 'signer')
  const keys = SANDBOX_OPERATORS.map(({ email, key }) => ({ operator: email, key }))
  ensureSignerFiles(SIGNER_DIR, { chain: devnet.genesis_id, hot: SANDBOX_HOT_ADDRESS, keys })
  const SIGNER_STAKES = [SANDBOX_STAKE]
  return { ...settings, SIGNER_MNEMONIC_FILE: SANDBOX_MNEMONIC_FILE, SIGNER_STAKES, SIGNER_DIR }
}

function childEnded(name: string) {
  console.error(`The ${name} ended by itself; stopping.`)
  void close(1)
}

/** Pages are built by `npm run build`. Only a sandbox starts without them, and says so. */
function checkPages({ MODE, ROLE }: Settings) {
  const trouble = ROLE === 'all' || ROLE === 'api' ? troubleOfPages() : undefined
  if (!trouble) return
  if (MODE === 'production') throw new CannotStart(trouble)
  console.error(`${trouble} The API works.`)
}

/** What a person needs first; everything else is in sandbox.json. */
function announceSandbox(file: SandboxFile) {
  const [demo] = file.accounts
  const [wallet] = file.funded_keys
  console.log(`Ergon sandbox is up: ${file.web_url} (Ctrl-C stops it)
Sign in with:  ${demo?.email} and ${demo?.password}
API key:       ${demo?.api_key}
Docs:          ${file.web_url}/docs
Chain:         ${file.devnet_url}
Buy your first Energy: npx ergon buy ${wallet?.address} 65000 --wait`)
}

function announce({ ROLE }: Settings, { url }: App) {
  console.log(`Ergon (${ROLE}) listens on ${url}.`)
}

/** The first signal drains and stops everything; further ones change nothing. */
async function close(code: number) {
  if (closing) return
  closing = true
  // Wait for the start: a child can be stopped only once it runs. Starts have their own timeouts.
  await starting?.catch(() => {})
  setTimeout(() => process.exit(1), CLOSE_MS_MAX).unref()
  for (const stop of running.reverse()) await stop()
  process.exit(code)
}

process.on('SIGTERM', () => void close(0))
process.on('SIGINT', () => void close(0))

try {
  starting = run(readSettings(environment()))
  await starting
} catch (error) {
  // A signal during the start stops the database under it; that error is expected.
  if (!closing) console.error(error instanceof CannotStart ? error.message : error)
  await close(1)
}
