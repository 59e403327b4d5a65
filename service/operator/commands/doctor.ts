import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { addressDeriver } from '@ergon/tron'
import {
  assertMigrated,
  type Db,
  embeddedUrl,
  findPrimary,
  openDb,
  readBusinessTime,
} from '../../db/index.ts'
import { readSettings, type Settings, silentLog } from '../../kernel/index.ts'
import { createSigning } from '../../signing/index.ts'
import { readLine } from '../options.ts'
import { databaseTime } from '../store.ts'
import { type Check, fine, ill, messageOf, type Patient } from './check.ts'
import { checkNodes } from './doctorNodes.ts'
import { EXIT } from './response.ts'

const CLOCK_OFF_MS_MAX = 2_000

/** `npx ergon doctor`: what is wrong with this setup, and what to do about it. */
export async function runDoctor(patient: Patient, args: string[]): Promise<number> {
  const line = readLine(args)
  const checks = await examine(patient)
  const lines = checks.map(({ name, ok, cause, remedy }) =>
    ok
      ? `ok    ${name.padEnd(9)} ${cause}`
      : `FAIL  ${name.padEnd(9)} ${cause}\n      Do: ${remedy}`,
  )
  line.say(checks, lines.join('\n'))
  return checks.every(({ ok }) => ok) ? EXIT.done : EXIT.refused
}

export async function examine(patient: Patient): Promise<Check[]> {
  let settings: Settings
  try {
    settings = readSettings(patient.environment)
  } catch (error) {
    const remedy = 'Correct it; npx ergon config shows every setting with what it expects.'
    return [ill('settings', messageOf(error), remedy)]
  }
  const running = await patient.isRunning(settings.DATA_DIR)
  const checks = [fine('settings', `MODE=${settings.MODE}, ROLE=${settings.ROLE}`)]
  checks.push(...checkRole(settings), ...(await checkPorts(patient, settings, running)))
  const database = await openDatabase(patient, settings, running)
  if ('ok' in database) checks.push(database)
  else {
    checks.push(fine('database', 'PostgreSQL answers and is not a standby.'))
    checks.push(...(await checkInside(patient, settings, database)))
    await database.close()
  }
  checks.push(...(await checkNodes(patient, settings)), ...checkKeyFiles(settings))
  return checks
}

function checkRole({ ROLE, DATABASE_URL, DATABASE_API_URL }: Settings): Check[] {
  if (ROLE !== 'api' || DATABASE_URL.length === 0 || DATABASE_API_URL.length > 0) return []
  const cause = 'This process only serves HTTP and could ask for signatures: it will not start.'
  return [ill('role', cause, 'Set DATABASE_API_URL to the same servers as ergon_api.')]
}

async function checkPorts(patient: Patient, settings: Settings, running: boolean) {
  if (running) return [fine('port', `Ergon runs on ${settings.DATA_DIR} and has its ports.`)]
  const { HOST, PORT, METRICS_HOST, METRICS_PORT, DEVNET_PORT, MODE } = settings
  const wanted: [string, number, string][] = [[HOST, PORT, 'PORT']]
  if (METRICS_PORT !== null) wanted.push([METRICS_HOST, METRICS_PORT, 'METRICS_PORT'])
  if (MODE === 'sandbox') wanted.push(['127.0.0.1', DEVNET_PORT, 'DEVNET_PORT'])
  const checks = await Promise.all(
    wanted.map(async ([host, port, setting]) => {
      const trouble = await patient.portTrouble(host, port, setting)
      if (!trouble) return fine('port', `${setting} ${port} is free.`)
      return ill('port', trouble, `Stop the program on port ${port}, or set ${setting} to another.`)
    }),
  )
  return checks
}

function urlsOf({ ROLE, DATABASE_URL, DATABASE_API_URL, DATA_DIR }: Settings): string[] {
  if (ROLE === 'api' && DATABASE_API_URL.length > 0) return DATABASE_API_URL
  return DATABASE_URL.length > 0
    ? DATABASE_URL
    : [embeddedUrl(join(DATA_DIR, 'postgres'), 'ergon_app')]
}

async function openDatabase(
  { runtime }: Patient,
  settings: Settings,
  running: boolean,
): Promise<Db | Check> {
  const urls = urlsOf(settings)
  const isEmbedded = settings.DATABASE_URL.length + settings.DATABASE_API_URL.length === 0
  try {
    return await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'ergon-doctor' })
  } catch (error) {
    const cause = `No database: ${withoutSecrets(messageOf(error))}`
    if (!isEmbedded) {
      return ill('database', cause, 'Start that PostgreSQL, or correct DATABASE_URL.')
    }
    const remedy = running
      ? 'Look at the output of npm start: its own PostgreSQL has gone.'
      : 'Run npm start, which brings its own PostgreSQL, or set DATABASE_URL to one that runs.'
    return ill('database', cause, remedy)
  }
}

/** Checks inside the database: schema, clock, and whether the signer ever ran. */
async function checkInside(patient: Patient, settings: Settings, db: Db): Promise<Check[]> {
  const { runtime } = patient
  try {
    await assertMigrated(await findPrimary(urlsOf(settings)))
  } catch (error) {
    const remedy = 'Set DATABASE_ADMIN_URL and run npx ergon migrate.'
    return [ill('schema', messageOf(error), remedy)]
  }
  await readBusinessTime(db, runtime.clock)
  const before = runtime.clock.wallMs()
  const [row] = await db.query(databaseTime)
  const offMs = (before + runtime.clock.wallMs()) / 2 - row!.at.getTime()
  const seconds = Math.round(Math.abs(offMs) / 1000)
  const way = offMs > 0 ? 'ahead of' : 'behind'
  const clock =
    Math.abs(offMs) <= CLOCK_OFF_MS_MAX
      ? fine('clock', 'This machine and the database agree.')
      : ill(
          'clock',
          `The clock of this machine is ${seconds} s ${way} the database's.`,
          'Run a time service (chrony or systemd-timesyncd) on both machines.',
        )
  return [
    fine('schema', 'Every migration and every function is there.'),
    clock,
    await checkSigner(patient, db),
  ]
}

async function checkSigner({ runtime }: Patient, db: Db): Promise<Check> {
  const signing = createSigning({ db, runtime, wake() {} })
  const [hot, stake] = await Promise.all([signing.addresses('hot'), signing.addresses('stake')])
  if (hot.length > 0 && stake.length > 0) return fine('signer', 'It has published its addresses.')
  const missing = hot.length === 0 ? 'hot wallet' : 'stake'
  const cause = `The signer has published no ${missing}: nothing can be signed.`
  const remedy = 'Start it: ROLE=all does, otherwise node service/signer.ts with SIGNER_KEY_FILE.'
  return ill('signer', cause, remedy)
}

function checkKeyFiles(settings: Settings): Check[] {
  if (settings.MODE === 'sandbox') return [fine('keys', 'The sandbox uses its published ones.')]
  const { DEPOSIT_XPUB, SIGNER_KEY_FILE, SIGNER_PASSPHRASE_FILE, SECRETS_KEY_FILE, ROLE } = settings
  const checks = [checkXpub(DEPOSIT_XPUB)]
  const files: [string, string, string][] = [['SECRETS_KEY_FILE', SECRETS_KEY_FILE, SECRETS_MADE]]
  if (ROLE === 'all') {
    files.push(['SIGNER_KEY_FILE', SIGNER_KEY_FILE, 'Make it with npx ergon keys create.'])
    files.push(['SIGNER_PASSPHRASE_FILE', SIGNER_PASSPHRASE_FILE, 'Write the passphrase there.'])
  }
  for (const [setting, file, remedy] of files) {
    if (!file && setting !== 'SECRETS_KEY_FILE') {
      checks.push(ill('keys', `${setting} is not set.`, `Set it. ${remedy}`))
    } else if (file) checks.push(checkFile(setting, file, remedy))
  }
  return checks
}

const SECRETS_MADE = 'Copy it from another node, or leave the setting empty to have one made.'

function checkXpub(xpub: string): Check {
  const remedy = 'Set DEPOSIT_XPUB to what npx ergon keys show prints.'
  if (!xpub) return ill('keys', 'DEPOSIT_XPUB is missing: no deposit address can be made.', remedy)
  try {
    addressDeriver(xpub)(0)
    return fine('keys', 'DEPOSIT_XPUB is an extended public key.')
  } catch {
    return ill('keys', 'DEPOSIT_XPUB is not an extended public key.', remedy)
  }
}

function checkFile(setting: string, file: string, remedy: string): Check {
  if (!existsSync(file)) return ill('keys', `${setting}: there is no file ${file}.`, remedy)
  if ((statSync(file).mode & 0o077) !== 0) {
    return ill('keys', `${setting}: others can read ${file}.`, `chmod 600 ${file}`)
  }
  return fine('keys', `${setting} is there and for us alone.`)
}

/** Masks passwords, because the driver's errors may quote the URL. */
const withoutSecrets = (text: string) => text.replaceAll(/(:\/\/[^:@/\s]*):[^@\s]*@/g, '$1:…@')
