import { join } from 'node:path'
import {
  assertMigrated,
  ensureDatabase,
  migrate,
  type Postgres,
  startPostgres,
} from './db/index.ts'
import {
  CannotStart,
  createLog,
  environment,
  readSettings,
  type Settings,
  systemDoors,
} from './kernel/index.ts'
import { assertPortFree, claimDataFolder } from './main/dataFolder.ts'
import { openHouse } from './main/house.ts'
import { describeSandbox } from './main/sandbox.ts'

const CLOSE_MS_MAX = 10_000

/** Things that were started, in order; they are stopped in the reverse order. */
const running: (() => Promise<void> | void)[] = []

async function run(settings: Settings) {
  const { folder, release } = await claimDataFolder(settings.DATA_DIR)
  running.push(release)
  await assertPortFree(settings.HOST, settings.PORT, 'PORT')
  if (settings.METRICS_PORT !== null) {
    await assertPortFree(settings.HOST, settings.METRICS_PORT, 'METRICS_PORT')
  }
  const databaseUrls = await openDatabase(settings, folder)
  const house = await openHouse({
    databaseUrls,
    host: settings.HOST,
    port: settings.PORT,
    metricsPort: settings.METRICS_PORT,
    trustedProxies: settings.TRUSTED_PROXIES,
    role: settings.ROLE,
    sandbox: settings.MODE === 'sandbox',
    doors: systemDoors(),
    log: createLog(settings.LOG_LEVEL),
  })
  running.push(house.close)
  if (settings.MODE === 'sandbox') {
    const file = await describeSandbox(house, folder)
    console.log(`Ergon sandbox is up.\n${JSON.stringify(file, null, 2)}`)
  } else {
    console.log(`Ergon (${settings.ROLE}) listens on ${house.url}.`)
  }
}

/** An existing server where one is named; otherwise our own, migrated before anybody connects. */
async function openDatabase(settings: Settings, folder: string): Promise<string[]> {
  if (settings.DATABASE_URL.length > 0) {
    if (settings.DATABASE_ADMIN_URL) await migrate(settings.DATABASE_ADMIN_URL)
    else await assertMigrated(settings.DATABASE_URL[0]!)
    return settings.DATABASE_URL
  }
  const postgres: Postgres = await startPostgres({ folder: join(folder, 'postgres') })
  running.push(postgres.stop)
  await ensureDatabase(postgres)
  await migrate(postgres.url('ergon_admin'))
  return [postgres.url('ergon_app')]
}

let closing = false

/** The first signal drains and stops everything; further ones change nothing. */
async function close(code: number) {
  if (closing) return
  closing = true
  setTimeout(() => process.exit(1), CLOSE_MS_MAX).unref()
  for (const stop of running.reverse()) await stop()
  process.exit(code)
}

process.on('SIGTERM', () => void close(0))
process.on('SIGINT', () => void close(0))

try {
  await run(readSettings(environment()))
} catch (error) {
  // A signal during the start takes the database away under it; that is not worth a stack.
  if (!closing) console.error(error instanceof CannotStart ? error.message : error)
  await close(1)
}
