import { join } from 'node:path'
import { type Db, embeddedUrl, openDb, readBusinessTime } from '../db/index.ts'
import {
  createLog,
  environment,
  readSettings,
  type Settings,
  systemDoors,
} from '../kernel/index.ts'
import {
  commands as operatorCommands,
  runPayout,
  runReconcile,
  runUndecided,
} from '../operator/index.ts'
import { createRooms, type Rooms } from './rooms.ts'
import { SANDBOX_DEPOSIT_XPUB } from './sandboxNetwork.ts'

type Command = { summary: string; run(args: string[]): Promise<number> | number }

/** Everything `npx ergon` can do inside the repository: the operator's words, and those that need rooms. */
export const commands: Record<string, Command> = {
  ...operatorCommands,
  audit: {
    summary: 'Checks the books; names the first broken invariant with its rows and stops selling',
    run: (args) => withRooms(({ audit }) => runAudit(audit, args.includes('--json'))),
  },
  payout: {
    summary: "Pays out a client's balance: request, approve by somebody else, list",
    run: (args) => withRooms(({ deposits }) => runPayout(deposits, args)),
  },
  reconcile: {
    summary: 'Compares what the chain holds for us with what we owe; exit code 1 when it is short',
    run: () => withRooms(({ deposits }) => runReconcile(deposits)),
  },
  rescan: {
    summary: 'Reads blocks again from a height: rescan --from 1234',
    run: (args) => withRooms(({ chain }) => runRescan(chain, args)),
  },
  undecided: {
    summary: 'Deliveries that only a person can settle: list, decide ID --as delivered|absent',
    run: (args) => withRooms(({ delivery }) => runUndecided(delivery, args)),
  },
}

async function runAudit(audit: Rooms['audit'], json: boolean): Promise<number> {
  const finding = await audit.run()
  if (json) console.log(JSON.stringify(finding ?? { invariant: null }))
  else if (!finding) console.log('The books add up: every invariant holds.')
  else {
    console.log(`${finding.invariant} is broken: ${finding.promise}. Selling was stopped.`)
    for (const row of finding.rows) console.log(`  ${JSON.stringify(row)}`)
  }
  return finding ? 1 : 0
}

async function runRescan(chain: Rooms['chain'], args: string[]): Promise<number> {
  const from = Number(args[args.indexOf('--from') + 1])
  if (!args.includes('--from') || !Number.isSafeInteger(from) || from < 1) {
    console.error('Say from which height: npx ergon rescan --from 1234')
    return 2
  }
  const count = await chain.rescan(from)
  console.log(`${count} blocks read again.`)
  return 0
}

/** The rooms on the configured database, or on the embedded one while the service runs. */
async function withRooms(work: (rooms: Rooms) => Promise<number>): Promise<number> {
  let db: Db | undefined
  try {
    const settings = readSettings(environment())
    const doors = systemDoors()
    const log = createLog(settings.LOG_LEVEL)
    db = await openDb({
      urls: databaseUrls(settings),
      connections: 4,
      doors,
      log,
      name: 'ergon-command',
    })
    await readBusinessTime(db, doors.clock)
    const rooms = createRooms({
      db,
      doors,
      log,
      nodeUrls: settings.TRON_URL.length > 0 ? settings.TRON_URL : [devnetUrl(settings)],
      nodeApiKey: settings.TRON_API_KEY,
      scanMs: 1_000,
      depositXpub: settings.DEPOSIT_XPUB || SANDBOX_DEPOSIT_XPUB,
      // No command opens a signing secret.
      webhooks: { secretsKey: new Uint8Array(32) },
      wakeSigner() {},
    })
    return await work(rooms)
  } catch (error) {
    console.error((error as Error).message)
    return 1
  } finally {
    await db?.close()
  }
}

function databaseUrls({ DATABASE_URL, DATA_DIR }: Settings): string[] {
  return DATABASE_URL.length > 0
    ? DATABASE_URL
    : [embeddedUrl(join(DATA_DIR, 'postgres'), 'ergon_app')]
}

function devnetUrl({ DEVNET_PORT }: Settings): string {
  return `http://127.0.0.1:${DEVNET_PORT}`
}
