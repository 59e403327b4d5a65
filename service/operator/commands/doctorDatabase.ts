import { addressDeriver, toBase58 } from '@ergon/tron'
import { createLag } from '../../chain/index.ts'
import {
  assertMigrated,
  assertOwnSessions,
  type Db,
  findPrimary,
  readBusinessTime,
  readServerHealth,
  type ServerHealth,
  UnfitServer,
} from '../../db/index.ts'
import { type Settings, silentLog } from '../../kernel/index.ts'
import { createSigning, type Signing } from '../../signing/index.ts'
import { databaseTime } from '../store.ts'
import { type Check, fine, ill, isEmbedded, messageOf, type Patient } from './check.ts'
import { checkDisk } from './doctorDisk.ts'

const CLOCK_OFF_MS_MAX = 2_000
const STANDBY_BEHIND_SECONDS_MAX = 30
/** A commit waits for one round trip to a standby. */
export const COMMIT_SECONDS_MAX = 5
/** Our own sessions are ended after 10 s. */
export const IDLE_SECONDS_MAX = 60
const TIME_SERVICE = 'Run a time service (chrony or systemd-timesyncd)'

/** An open database, and where it is. */
export type Opened = { db: Db; urls: string[] }

/** Checks inside the database: schema, clocks, the signer's keys, and PostgreSQL's own trouble. */
export async function checkDatabase(
  patient: Patient,
  settings: Settings,
  { db, urls }: Opened,
): Promise<Check[]> {
  const pooler = await checkPooler(patient, { db, urls })
  // Behind such a pooler nothing else can be relied on.
  if (!pooler.ok) return [pooler]
  try {
    await assertMigrated(await findPrimary(urls))
  } catch (error) {
    const remedy = 'Set DATABASE_ADMIN_URL and run npx ergon migrate.'
    return [ill('schema', messageOf(error), remedy)]
  }
  await readBusinessTime(db, patient.runtime.clock)
  const signing = createSigning({ db, runtime: patient.runtime, wake() {} })
  return [
    fine('schema', 'Every migration and every function is there.'),
    pooler,
    await checkClock(patient, db),
    ...(await checkSkew(patient, settings, db)),
    await checkSigner(signing),
    ...(await checkSameKeys(patient, settings, signing)),
    ...(await checkServer(patient, settings, { db, urls })),
  ]
}

async function checkPooler({ runtime }: Patient, { urls }: Opened): Promise<Check> {
  try {
    await assertOwnSessions(urls, runtime)
    return fine('pooler', 'Each connection keeps its session.')
  } catch (error) {
    if (!(error instanceof UnfitServer)) throw error
    return ill('pooler', error.trouble, error.remedy)
  }
}

async function checkClock({ runtime }: Patient, db: Db): Promise<Check> {
  const before = runtime.clock.wallMs()
  const [row] = await db.query(databaseTime)
  const offMs = (before + runtime.clock.wallMs()) / 2 - row!.at.getTime()
  if (Math.abs(offMs) <= CLOCK_OFF_MS_MAX) {
    return fine('clock', 'This machine and the database agree.')
  }
  const seconds = Math.round(Math.abs(offMs) / 1000)
  const way = offMs > 0 ? 'ahead of' : 'behind'
  const cause = `The clock of this machine is ${seconds} s ${way} the database's.`
  return ill('clock', cause, `${TIME_SERVICE} on both machines.`)
}

/** By the newest head that a scanner saw, as `npx ergon status` has it. */
async function checkSkew(
  { runtime: { clock } }: Patient,
  { MODE, BLOCK_MS }: Settings,
  db: Db,
): Promise<Check[]> {
  const blockMs = MODE === 'sandbox' ? BLOCK_MS : undefined
  const lag = createLag({ db, clock, log: silentLog, blockMs, recovery: async () => undefined })
  const seen = await lag.look()
  if (!seen) return []
  if (!lag.skew.isLarge()) return [fine('clock', 'This machine and the newest block agree.')]
  const remedy = `${TIME_SERVICE}; if the clock is right, name another node in TRON_URL.`
  return [ill('clock', lag.skew.sentence(), remedy)]
}

async function checkSigner(signing: Signing): Promise<Check> {
  const [hot, stake] = await Promise.all([signing.addresses('hot'), signing.addresses('stake')])
  if (hot.length > 0 && stake.length > 0) return fine('signer', 'It has published its addresses.')
  const missing = hot.length === 0 ? 'hot wallet' : 'stake'
  const cause = `The signer has published no ${missing}: nothing can be signed.`
  const remedy = 'Start it: ROLE=all does, otherwise node service/signer.ts with SIGNER_KEY_FILE.'
  return ill('signer', cause, remedy)
}

/** Nobody could sweep what clients send to addresses of other keys. */
async function checkSameKeys(
  { depositXpub }: Patient,
  settings: Settings,
  signing: Signing,
): Promise<Check[]> {
  const signers = await signing.depositRoot()
  const ours = firstAddressOf(depositXpub(settings))
  if (!signers || !ours) return []
  if (signers === ours) return [fine('signer', "DEPOSIT_XPUB is that of the signer's keys.")]
  const cause = `DEPOSIT_XPUB is not the signer's: its first address is ${toBase58(ours)}, the signer's is ${toBase58(signers)}.`
  const remedy = "Set it to what npx ergon keys show prints for the signer's key file."
  return [ill('signer', cause, remedy)]
}

function firstAddressOf(xpub: string) {
  try {
    return addressDeriver(xpub)(0)
  } catch {
    return undefined
  }
}

async function checkServer(
  patient: Patient,
  settings: Settings,
  { db, urls }: Opened,
): Promise<Check[]> {
  let health: ServerHealth
  try {
    health = await readServerHealth(db)
  } catch {
    const cause = 'Archive, standbys and hanging sessions of PostgreSQL cannot be seen.'
    return [ill('server', cause, 'Set DATABASE_ADMIN_URL and run npx ergon migrate once more.')]
  }
  const { folder } = health
  const isHere = folder !== undefined && urls.some(isLocal)
  return [
    ...checkHealth(health, settings),
    ...(isHere ? checkDisk(patient, folder, "PostgreSQL's data") : []),
  ]
}

/** What PostgreSQL says of itself. */
export function checkHealth(health: ServerHealth, of: Archived): Check[] {
  return [checkArchiver(health, of), ...checkStandbys(health), ...checkHanging(health)]
}

type Archived = Pick<Settings, 'MODE' | 'DATABASE_URL' | 'DATABASE_API_URL'>

function checkArchiver({ archiver }: ServerHealth, settings: Archived): Check {
  if (!archiver.isOn) {
    if (settings.MODE === 'sandbox') return fine('archive', 'The sandbox keeps no archive.')
    const lost = 'PostgreSQL archives nothing: with its disk everything since the last copy is lost'
    // Nothing can be done about the embedded one but to copy it often.
    if (isEmbedded(settings)) return fine('archive', `${lost}; copy DATA_DIR often.`)
    const remedy = 'Set archive_mode and archive_command: docs/operating/database.md.'
    return ill('archive', `${lost}.`, remedy)
  }
  if (!archiver.isFailing) return fine('archive', 'No WAL file waits for a failed archive_command.')
  const { lastFailedFile, lastFailedAt, failures } = archiver
  const cause = `PostgreSQL cannot archive its WAL: ${lastFailedFile} failed at ${lastFailedAt!.toISOString()}, ${failures} failures in all.`
  const remedy =
    "Run archive_command by hand as PostgreSQL's user; until it works backups end and pg_wal grows."
  return ill('archive', cause, remedy)
}

function checkStandbys({ standbys }: ServerHealth): Check[] {
  return standbys.map(({ name, state, isAwaited, lagSeconds, lagBytes }) => {
    if (lagSeconds === null || lagBytes === null) {
      const remedy =
        'Grant pg_monitor to the role of DATABASE_ADMIN_URL, and run npx ergon migrate.'
      return ill('standby', 'How far a standby is behind may not be seen.', remedy)
    }
    const label = `${name || 'without a name'} (${isAwaited ? 'commits wait for it' : 'asynchronous'})`
    if (state === 'streaming' && lagSeconds <= STANDBY_BEHIND_SECONDS_MAX) {
      return fine('standby', `${label} is ${lagBytes} bytes behind.`)
    }
    const cause = `The standby ${label} is ${Math.round(lagSeconds)} s and ${lagBytes} bytes behind, in state ${state}.`
    const remedy = 'Look at its log, its disk and the network between; do not fail over to it now.'
    return ill('standby', cause, remedy)
  })
}

function checkHanging({ hanging }: ServerHealth): Check[] {
  const commits = hanging.filter((one) => one.kind === 'commit' && one.seconds > COMMIT_SECONDS_MAX)
  const idle = hanging.filter((one) => one.kind === 'idle' && one.seconds > IDLE_SECONDS_MAX)
  const checks: Check[] = []
  if (commits.length > 0) {
    const cause = `${commits.length} commits wait for a standby, the longest for ${Math.round(commits[0]!.seconds)} s: purchases hang.`
    const remedy =
      'Start the standby, or take it out of synchronous_standby_names and reload PostgreSQL.'
    checks.push(ill('commits', cause, remedy))
  }
  for (const { role, application, seconds } of idle) {
    const cause = `A transaction of ${role} (${application || 'no name'}) has been idle for ${Math.round(seconds)} s: it holds locks and keeps old rows.`
    checks.push(ill('commits', cause, 'Commit or close that session.'))
  }
  return checks.length > 0 ? checks : [fine('commits', 'No session hangs in a transaction.')]
}

/** Whether the server is on this machine, so that its folders are ours. */
function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return host.startsWith('/') || ['localhost', '127.0.0.1', '[::1]', ''].includes(host)
}
