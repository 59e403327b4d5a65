import { join } from 'node:path'
import { type Db, embeddedUrl, openDb, UnfitServer } from '../../db/index.ts'
import { readSettings, type Settings, silentLog } from '../../kernel/index.ts'
import { readLine } from '../options.ts'
import { type Check, fine, ill, isEmbedded, messageOf, type Patient } from './check.ts'
import { checkDatabase } from './doctorDatabase.ts'
import { checkFiles } from './doctorFiles.ts'
import { checkNodes } from './doctorNodes.ts'
import { checkStakes } from './doctorStakes.ts'
import { EXIT } from './response.ts'

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
  }
  checks.push(...(await checkNodes(patient, settings)), ...checkFiles(patient, settings))
  return checks
}

async function checkInside(patient: Patient, settings: Settings, db: Db): Promise<Check[]> {
  try {
    const inside = await checkDatabase(patient, settings, { db, urls: urlsOf(settings) })
    const isUsable = inside.every(({ name, ok }) => ok || !['pooler', 'schema'].includes(name))
    return isUsable ? [...inside, ...(await checkStakes(patient, settings, db))] : inside
  } catch (error) {
    const cause = `The database stopped answering: ${withoutSecrets(messageOf(error))}`
    return [ill('database', cause, 'Look at the log of PostgreSQL, and run this again.')]
  } finally {
    await db.close()
  }
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
  try {
    return await openDb({ urls, connections: 1, runtime, log: silentLog, name: 'ergon-doctor' })
  } catch (error) {
    if (error instanceof UnfitServer) return ill('database', error.trouble, error.remedy)
    const cause = `No database: ${withoutSecrets(messageOf(error))}`
    if (!isEmbedded(settings)) {
      return ill('database', cause, 'Start that PostgreSQL, or correct DATABASE_URL.')
    }
    const remedy = running
      ? 'Look at the output of npm start: its own PostgreSQL has gone.'
      : 'Run npm start, which brings its own PostgreSQL, or set DATABASE_URL to one that runs.'
    return ill('database', cause, remedy)
  }
}

/** Masks passwords, because the driver's errors may quote the URL. */
const withoutSecrets = (text: string) => text.replaceAll(/(:\/\/[^:@/\s]*):[^@\s]*@/g, '$1:…@')
