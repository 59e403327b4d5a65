import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '@ergon/devnet'
import { SANDBOX_USDT_CONTRACT } from '../../service/app/sandboxNetwork.ts'
import { user } from '../testing/cluster.ts'
import { COMPILED } from '../testing/compiled.ts'
import { type MailServer, openMailServer } from '../testing/smtp.ts'
import { MACHINES, type Machine } from './blocks.ts'
import { Shell } from './shell.ts'

// One machine that stands for all those of the manual: a folder and a shell for each name, a port for
// each server, the devnet as the node.

const ROOT = join(import.meta.dirname, '../..')
const PORT_FIRST = 21_500
/** Folders that all machines of the manual share, as a mounted one; the socket's folder is shared because ports differ. */
const SHARED = ['archive', 'backup', 'run/postgresql']
const OWN = ['etc/ergon', 'run/ergon', 'var/lib/postgresql', 'var/lib/ergon-signer']
const isDatabase = (machine: Machine) => machine.startsWith('db-')

export type World = {
  folder: string
  devnet: Devnet
  mail: MailServer
  apiUrl: string
  shells: Record<Machine, Shell>
  /** What the reader fills in for a place such as KEY=…. */
  places: Map<string, string>
  /** A path of the manual, as it is on this machine. */
  pathOn(machine: Machine, path: string): string
  /** A block as it is run here. */
  adapt(machine: Machine, commands: string): string
  close(): Promise<void>
}

/** PostgreSQL's programs, psql and pg_basebackup among them: the newest version that is installed. */
export function findPrograms(): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin').sort(
    (a, b) => Number(b.split('/')[4]) - Number(a.split('/')[4]),
  )
  const all = [...debian, ...(process.env.PATH ?? '').split(':')]
  return all.find((path) =>
    ['initdb', 'pg_ctl', 'psql', 'pg_basebackup'].every((name) => existsSync(join(path, name))),
  )
}

export async function openWorld(programs: string): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-manual-'))
  // PostgreSQL's user passes through it.
  own(folder)
  for (const path of SHARED) own(join(folder, path))
  for (const machine of MACHINES) prepareMachine(folder, machine)
  const ports = await freePorts(6)
  const [first, second, api, metrics, node, solidity] = ports as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const devnet = await startDevnet({
    blockMs: 500,
    solidLag: 4,
    nodePorts: { full: node, solidity },
  })
  const mail = await openMailServer()
  const apiUrl = `http://127.0.0.1:${api}`
  const servers = { 'db-1': first, 'db-2': second } as const
  const names: [RegExp | string, string][] = [
    ...Object.entries(servers).flatMap(([name, port]): [string, string][] => [
      [`host=${name} port=5432`, `host=127.0.0.1 port=${port}`],
      [`${name}:5432`, `127.0.0.1:${port}`],
    ]),
    [`listen_addresses = '*'`, `listen_addresses = '127.0.0.1'`],
    ['https://energy.example', apiUrl],
    ['https://nile.trongrid.io', devnet.node!.url],
    ['smtps://mail.example', mail.url],
    ['USDT_CONTRACT=…', `USDT_CONTRACT=${SANDBOX_USDT_CONTRACT}`],
    ['PORT=8081', `PORT=${api}`],
    ['127.0.0.1:8081', `127.0.0.1:${api}`],
    ['METRICS_PORT=9464', `METRICS_PORT=${metrics}`],
    [/\b00000000000000001ebf8[0-9a-f]{43}\b/g, devnet.chain.block(0)!.id],
  ]
  const places = new Map<string, string>()
  const pathOn = (machine: Machine, path: string) =>
    path
      .replaceAll(/(?<![\w.}-])\/(archive|backup|run\/postgresql)(?![\w-])/g, `${folder}/$1`)
      .replaceAll(
        /(?<![\w.}-])\/((?:etc|run|var\/lib)\/(?:ergon|postgresql))/g,
        `${folder}/${machine}/$1`,
      )
  const adapt = (machine: Machine, commands: string) => {
    let text = pathOn(machine, commands)
    for (const [wanted, here] of [...names, ...places]) text = text.replaceAll(wanted, here)
    return text.replaceAll('PGPORT=5432', `PGPORT=${servers[machine as 'db-1'] ?? first}`)
  }
  const shells = Object.fromEntries(
    MACHINES.map((machine) => {
      const home = join(folder, machine)
      const env = {
        HOME: home,
        TERM: 'dumb',
        PATH: [...(isDatabase(machine) ? [programs] : []), process.env.PATH].join(':'),
        ...COMPILED,
      }
      return [machine, new Shell({ folder: home, env, asServerUser: isDatabase(machine) })]
    }),
  ) as Record<Machine, Shell>
  return {
    ...{ folder, devnet, mail, apiUrl, shells, places, pathOn, adapt },
    async close() {
      for (const shell of Object.values(shells)) shell.close()
      for (const pid of serverPids(folder)) killServer(pid)
      await devnet.close()
      await mail.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}

function own(path: string) {
  mkdirSync(path, { recursive: true, mode: 0o755 })
  if (user) chownSync(path, user.uid, user.gid)
}

/** The program's folder as an operator has it: everything of the repository, and room for files of their own. */
function prepareMachine(folder: string, machine: Machine) {
  const home = join(folder, machine)
  for (const path of ['', ...OWN]) {
    mkdirSync(join(home, path), { recursive: true })
    if (user && isDatabase(machine)) chownSync(join(home, path), user.uid, user.gid)
  }
  if (isDatabase(machine)) return
  for (const name of readdirSync(ROOT)) {
    if (!name.startsWith('.')) symlinkSync(join(ROOT, name), join(home, name))
  }
}

/** The last lines of the processes' logs, for a failure. */
export function lastLines(folder: string): string {
  const logs = globSync('*/var/lib/{*.log,ergon-signer/log,postgresql/server.log}', {
    cwd: folder,
  })
  const ends = logs.map((log) => [log, readFileSync(join(folder, log), 'utf8').slice(-1_500)])
  return ends.map(([log, end]) => `== ${log}\n${end}`).join('\n')
}

/** Servers that run from folders of this world. A pid of an old file may be of another program by now. */
export function serverPids(folder: string, machine = '*'): number[] {
  const files = globSync(`${machine}/var/lib/postgresql/*/postmaster.pid`, { cwd: folder })
  const pids = files.map((file) => Number(readFileSync(join(folder, file), 'utf8').split('\n')[0]))
  return pids.filter((pid) => placeOf(pid).startsWith(folder))
}

/** All processes of a server at once, as when its machine loses its power. */
export function killServer(pid: number) {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)
  for (const one of [pid, ...children.map(Number)]) {
    try {
      process.kill(one, 'SIGKILL')
    } catch {}
  }
}

/** A server works in its data folder. */
function placeOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

/** Empty where the process has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

async function freePorts(count: number): Promise<number[]> {
  const found: number[] = []
  for (let port = PORT_FIRST; found.length < count; port += 1) {
    if (await isFree(port)) found.push(port)
    // The node's two ports lie side by side, as 8090 and 8091 do.
    else found.length = 0
  }
  return found
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
