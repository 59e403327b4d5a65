import { join } from 'node:path'
import type { Refusal, Role } from '@ergon/contract'
import { NodeTrouble } from '@ergon/tron'
import { type Db, embeddedUrl, openDb, readBusinessTime } from '../db/index.ts'
import { createOperatorRoles } from '../identity/index.ts'
import {
  type Clock,
  createLog,
  environment,
  type Log,
  type Runtime,
  readSettings,
  type Settings,
  sun,
  systemRuntime,
} from '../kernel/index.ts'
import { EXIT, troubleOf, Unclear } from '../operator/index.ts'
import type { WebhookOptions } from '../webhooks/index.ts'
import { creditLimitsOf, issuerOf, nodesOf } from './options.ts'
import { createRooms, type Rooms } from './rooms.ts'
import { SANDBOX_DEPOSIT_XPUB } from './sandboxNetwork.ts'

// What a command runs on: the database, the rooms on it, or the signer's role.

/** The operator whom --by names, if the role is enough; an exit code when the database cannot be asked. */
export async function operatorNamed(by: string, needed: Role): Promise<string | Refusal | number> {
  let named: string | Refusal = by
  const code = await withDb(async ({ db, runtime: { clock } }) => {
    named = await createOperatorRoles({ db, clock }).named(by, needed)
    return EXIT.done
  })
  return code === EXIT.done ? named : code
}

/** The rooms on the configured database, or on the embedded one while the service runs. */
export function withRooms(
  work: (rooms: Rooms, given: { db: Db; clock: Clock; settings: Settings }) => Promise<number>,
  keysOf: (settings: Settings) => WebhookOptions = () => ({ secretsKey: new Uint8Array(32) }),
): Promise<number> {
  return withDb(async ({ db, runtime, log, settings }) => {
    await readBusinessTime(db, runtime.clock)
    const rooms = createRooms({
      db,
      runtime,
      log,
      ...nodesOf(settings, settings.TRON_URL.length > 0 ? undefined : { url: devnetUrl(settings) }),
      scanMs: 1_000,
      blockMs: settings.MODE === 'sandbox' ? settings.BLOCK_MS : undefined,
      depositXpub: settings.DEPOSIT_XPUB || SANDBOX_DEPOSIT_XPUB,
      creditLimits: creditLimitsOf(settings),
      issuer: issuerOf(settings),
      adjustmentLimit: sun(BigInt(settings.ADJUSTMENT_LIMIT_TRX) * 1_000_000n),
      // Only `secrets reseal` opens a signing secret.
      webhooks: keysOf(settings),
      wakeSigner() {},
    })
    return work(rooms, { db, clock: runtime.clock, settings })
  }, 4)
}

type Opened = { db: Db; runtime: ReturnType<typeof systemRuntime>; log: Log; settings: Settings }

async function withDb(work: (opened: Opened) => Promise<number>, connections = 1): Promise<number> {
  let db: Db | undefined
  try {
    const settings = readSettings(environment())
    const runtime = systemRuntime()
    const log = createLog(settings.LOG_LEVEL)
    db = await openDb({
      urls: databaseUrls(settings),
      connections,
      runtime,
      log,
      name: 'ergon-command',
    })
    return await work({ db, runtime, log, settings })
  } catch (error) {
    return explain(error)
  } finally {
    await db?.close()
  }
}

/** The signer's own role, which is on no machine but the signer's. */
export async function withSigner(
  work: (signer: { db: Db; runtime: Runtime }) => Promise<number>,
): Promise<number> {
  let db: Db | undefined
  try {
    const settings = readSettings(environment())
    const runtime = systemRuntime()
    const log = createLog(settings.LOG_LEVEL)
    const { DATABASE_SIGNER_URL: named, DATA_DIR } = settings
    const urls =
      named.length > 0 ? named : [embeddedUrl(join(DATA_DIR, 'postgres'), 'ergon_signer')]
    db = await openDb({ urls, connections: 1, runtime, log, name: 'ergon-command' })
    await readBusinessTime(db, runtime.clock)
    return await work({ db, runtime })
  } catch (error) {
    return explain(error)
  } finally {
    await db?.close()
  }
}

/** The signer's files: --dir, SIGNER_DIR, or those of a sandbox. */
export function signerFolder(args: string[]): string {
  const { SIGNER_DIR, MODE, DATA_DIR } = readSettings(environment())
  const named = args.includes('--dir') ? args[args.indexOf('--dir') + 1] : undefined
  return named || SIGNER_DIR || (MODE === 'sandbox' ? join(DATA_DIR, 'signer') : '')
}

/** Nobody could be asked, or a file is not there. */
function explain(error: unknown): number {
  if (error instanceof Unclear) throw error
  console.error(troubleOf(error))
  if (error instanceof NodeTrouble) console.error(WHERE_THE_NODE_IS)
  const isEmbedded = !environment().DATABASE_URL && /^No database/.test((error as Error).message)
  if (isEmbedded) console.error(WHERE_THE_DATABASE_IS)
  return 'path' in (error as object) ? EXIT.refused : EXIT.noAnswer
}

const WHERE_THE_DATABASE_IS =
  "The sandbox's own database runs while npm start runs; DATA_DIR must be the one that it was given."
const WHERE_THE_NODE_IS =
  'That is the TRON node. TRON_URL says where it is; in the sandbox it is DEVNET_PORT, which must be the one that npm start was given.'

export function databaseUrls({ DATABASE_URL, DATA_DIR }: Settings): string[] {
  return DATABASE_URL.length > 0
    ? DATABASE_URL
    : [embeddedUrl(join(DATA_DIR, 'postgres'), 'ergon_app')]
}

function devnetUrl({ DEVNET_PORT }: Settings): string {
  return `http://127.0.0.1:${DEVNET_PORT}`
}
