import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, type Genesis, startDevnet } from '@ergon/devnet'
import { toBase58 } from '@ergon/tron'
import type pg from 'pg'
import { sandboxGenesis } from '../../service/app/sandboxNetwork.ts'
import {
  createPool,
  ensureDatabase,
  migrate,
  type Postgres,
  startPostgres,
} from '../../service/db/index.ts'
import type { AppReady } from './appProgram.ts'
import type { LoadOptions, Measured } from './load.ts'
import type { ProfileRequest } from './profile.ts'
import { type BenchAccount, OFFER, READ } from './seed.ts'
import { warmLog } from './warmLog.ts'

/**
 * What a suite measures in: a database with fsync on, and separate processes for the service and
 * the load generator.
 */
export type World = {
  folder: string
  postgres: Postgres
  devnet: Devnet
  /**
   * Connects only for a query, so that no other client of the database is there during a
   * measurement.
   */
  admin: pg.Pool
  appPid: number
  appUrl: string
  /** Starts one more process of the service on the same database; returns its URL. */
  startAnother(): Promise<string>
  accounts: BenchAccount[]
  receivers: string[]
  load(options: LoadOptions): Promise<Measured>
  /** The program that is measured: the service, unless a suite names another. */
  profiled: ChildProcess
  /** Starts a CPU profile; that program writes it to the file when the world closes. */
  profileInto(file: string): void
  /** Starts a program of the bench, which is stopped with the others. */
  start<Ready>(program: string, args: string[]): Promise<Program<Ready>>
  /** Registers a function that runs when the world closes, before the database stops. */
  onClose(stop: () => Promise<unknown>): void
  close(): Promise<void>
}

export type WorldOptions = {
  /** Accounts that are opened through the service, with money. */
  accounts?: number
  /** Fills the database that is to be in this folder, with a server of its own; returns what is on the chain. */
  fill?(folder: string): Promise<Genesis>
  /** 0: no blocks. */
  blockMs?: number
}

export type Program<Ready> = { child: ChildProcess; ready: Ready; pid: number }

const ACCOUNTS = 1_000

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { accounts: count = ACCOUNTS, blockMs = 0 } = options
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  const closers: (() => Promise<unknown> | unknown)[] = []
  const close = async () => {
    for (const stop of closers.reverse()) await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const genesis = (await options.fill?.(join(folder, 'postgres'))) ?? sandboxGenesis
    const postgres = await startPostgres({ folder: join(folder, 'postgres') })
    closers.push(postgres.stop)
    await ensureDatabase(postgres)
    await migrate(postgres.url('ergon_admin'))
    const adminUrl = postgres.url('ergon_admin')
    const admin = createPool({ connectionString: adminUrl, max: 1, idleTimeoutMillis: 100 })
    admin.on('error', () => {})
    closers.push(() => admin.end())
    await warmLog(admin)
    const devnet = await startDevnet({ genesis, blockMs })
    closers.push(devnet.close)
    const receivers = devnet.chain.network.funded.map(({ address }) => toBase58(address))

    const start = async <Ready>(program: string, args: string[]) => {
      const child = fork(join(import.meta.dirname, program), args, { execArgv: [] })
      closers.push(() => stop(child))
      return { child, ready: (await firstMessage(child, program)) as Ready, pid: child.pid! }
    }
    await admin.query(OFFER)
    await admin.query(READ)
    const startApp = (accounts: number) => {
      const args = [postgres.url('ergon_app'), devnet.url, String(accounts)]
      return start<AppReady>('appProgram.ts', args)
    }
    const app = await startApp(count)
    const { url: appUrl, accounts } = app.ready
    const generator = await start('loadProgram.ts', [])
    const world: World = {
      folder,
      postgres,
      devnet,
      admin,
      appPid: app.pid,
      appUrl,
      startAnother: async () => (await startApp(0)).ready.url,
      accounts,
      receivers,
      load: (asked) => measure(generator.child, asked),
      profiled: app.child,
      profileInto: (file) => world.profiled.send({ profile: file } satisfies ProfileRequest),
      start,
      onClose: (stop) => void closers.push(stop),
      close,
    }
    return world
  } catch (error) {
    await close()
    throw error
  }
}

/** The plain service on the same database, with the current price. */
export async function startPlain(world: World, price: bigint) {
  // It writes the ledger's tables itself, which only their owner may.
  const args = [world.postgres.url('ergon_admin'), String(price)]
  const { ready, pid } = await world.start<{ url: string }>('plainProgram.ts', args)
  return { url: ready.url, pid }
}

async function measure(generator: ChildProcess, asked: LoadOptions): Promise<Measured> {
  const answered = firstMessage(generator, 'load generator')
  generator.send(asked)
  const { measured, failed } = (await answered) as { measured?: Measured; failed?: string }
  if (!measured) throw new Error(`the load was not served: ${failed}`)
  return measured
}

function firstMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`${name} ended`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}

/** They end by themselves when the channel closes, and write a profile before that. */
function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.disconnect()
  })
}
