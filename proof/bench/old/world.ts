import { type ChildProcess, execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Genesis } from '@ergon/devnet'
import { toHex } from '@ergon/tron'
import pg from 'pg'
import { SANDBOX_HOT_ADDRESS, sandboxGenesis } from '../../../service/app/sandboxNetwork.ts'
import { ensureDatabase, migrate, startPostgres } from '../../../service/db/index.ts'
import type { AgeReady, Job, JobDone } from '../ageProgram.ts'
import { READ } from '../seed.ts'
import { openWorld, type World } from '../world.ts'
import { type Generated, generate } from './generate.ts'
import type { Sizes } from './sizes.ts'

/** Accounts that buy, and have money for it: those after the first, which is the largest. */
export const BUYERS = 1_000
const BLOCK_MS = 3_000
const HOT_SUN = 1_000_000_000_000_000
const WHILE_GENERATING = ['wal_level = minimal', 'max_wal_senders = 0', "checkpoint_timeout = '1h'"]

export type Side = 'old' | 'young'
/** A generated service, opened. */
export type Aged = {
  side: Side
  world: World
  sizes: Sizes
  made: Generated
  seconds: number
  megabytes: number
  /** A process of the service that is told what to do once. */
  worker: ChildProcess
  accounts: string[]
}

export async function openAged(
  side: Side,
  sizes: Sizes,
  tell: (line: string) => void,
): Promise<Aged> {
  let made: Generated | undefined
  const began = performance.now()
  let seconds = 0
  const world = await openWorld({
    accounts: 0,
    blockMs: BLOCK_MS,
    async fill(folder) {
      made = await generateIn(folder, sizes, tell)
      seconds = (performance.now() - began) / 1_000
      return genesisWith(made)
    },
  })
  try {
    const { admin } = world
    await admin.query(
      `insert into signing.address (address, purpose, position) values ($1, 'hot', 0)`,
      [toHex(SANDBOX_HOT_ADDRESS)],
    )
    await readOn(world)
    const { rows } = await admin.query('select id from identity.account order by id limit $1', [
      BUYERS + 1,
    ])
    const accounts: string[] = rows.map(({ id }) => id)
    const size = await admin.query(
      'select pg_database_size(current_database())::float8 / 1000000 as mb',
    )
    const worker = (await startService(world, 'api')).child
    await doJob(worker, { job: 'fund', accounts: accounts.slice(1) })
    tell(`${sizes.accounts} accounts in ${seconds.toFixed(0)} s, ${size.rows[0].mb.toFixed(0)} MB`)
    return {
      side,
      world,
      sizes,
      made: made!,
      seconds,
      megabytes: size.rows[0].mb,
      worker,
      accounts,
    }
  } catch (error) {
    await world.close()
    throw error
  }
}

const generateIn = (folder: string, sizes: Sizes, tell: (line: string) => void) =>
  fillIn(folder, (url) => generate(url, sizes, { now: new Date(), tell }))

/** Without fsync and with as little log as there can be: if the machine dies meanwhile, it is done again. */
export async function fillIn<T>(folder: string, fill: (url: string) => Promise<T>): Promise<T> {
  await withServer(folder, async (url) => {
    await migrate(url)
    for (const setting of WHILE_GENERATING) await ask(url, `alter system set ${setting}`)
  })
  const made = await withServer(folder, async (url) => {
    const done = await fill(url)
    await ask(url, 'alter system reset all')
    return done
  })
  // What is still in the memory of the host would be written while we measure.
  await promisify(execFile)('sync')
  return made
}

async function withServer<T>(folder: string, work: (url: string) => Promise<T>): Promise<T> {
  const postgres = await startPostgres({ folder, fsync: false })
  try {
    await ensureDatabase(postgres)
    return await work(postgres.url('ergon_admin'))
  } finally {
    await postgres.stop()
  }
}

async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

/** The deposit addresses as the books have them, and a hot wallet that covers what is owed. */
function genesisWith({ held }: Generated): Genesis {
  const [stake] = sandboxGenesis.accounts
  return {
    accounts: [
      stake!,
      { address: SANDBOX_HOT_ADDRESS, balance_sun: HOT_SUN },
      ...held.map(({ address, amount }) => ({ address, balance_sun: amount })),
    ],
  }
}

export function startService({ start, postgres, devnet }: World, role: 'api' | 'all') {
  return start<AgeReady>('ageProgram.ts', [postgres.url('ergon_app'), devnet.url, role])
}

export function doJob(worker: ChildProcess, asked: Job): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.once('message', (done: JobDone) => {
      if ('ms' in done) resolve(done.ms)
      else reject(new Error(`${asked.job}: ${done.failed}`))
    })
    worker.send(asked)
  })
}

/** Nobody reads blocks between the starts: the cursor is where it stays fresh. */
export async function readOn({ admin, devnet }: World): Promise<void> {
  await admin.query('delete from chain.cursor; delete from chain.head')
  await admin.query(READ)
  // Ahead of the node's solid block, too: sweeps are held while the scanner is behind it.
  const ahead = 'update chain.cursor set number = 1000000000, block_id = $1, solid_id = $1'
  await admin.query(ahead, [devnet.chain.head.id])
}
