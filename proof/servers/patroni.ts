import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { commandAs, connectClient, ensureDatabase, migrate } from '../../service/db/index.ts'
import type { Databases, OpenDatabases } from '../faults/chaos/world.ts'
import { giveToServer, type Server, user } from '../testing/cluster.ts'
import { descendantsOf } from '../testing/program.ts'
import { until } from '../testing/until.ts'

// Two servers that Patroni keeps, with etcd: it notices that the leader is gone and promotes the standby.

const PROGRAMS = { patroni: '/usr/bin/patroni', etcd: '/usr/bin/etcd' }
const BINARIES = '/usr/lib/postgresql/15/bin'
const PATIENCE_MS = 120_000

/** What is missing for this proof; undefined: it can be tried. */
export function patroniMissing(): string | undefined {
  for (const [name, path] of Object.entries(PROGRAMS)) {
    if (!existsSync(path)) return `${name} is not installed`
  }
  return existsSync(join(BINARIES, 'postgres')) ? undefined : 'PostgreSQL 15 is not installed'
}

type Member = { name: string; port: number; rest: number; folder: string; child: ChildProcess }

/** `machine`: Patroni and its server die. `patroni`: its server lives on, and Patroni finds it when it is back. */
type Dies = 'machine' | 'patroni'

export function openPatroni(dies: Dies): OpenDatabases {
  return (folder, onClose) => open(dies, folder, onClose)
}

async function open(
  dies: Dies,
  ...[folder, onClose]: Parameters<OpenDatabases>
): ReturnType<OpenDatabases> {
  const [client, peer, ...ports] = await freePorts(6)
  const etcd = launch(folder, 'etcd', PROGRAMS.etcd, etcdArgs(join(folder, 'etcd'), client!, peer!))
  onClose(() => rmSync(folder, { recursive: true, force: true }))
  onClose(() => endAll([etcd]))
  const members: Member[] = []
  onClose(() => Promise.all(members.map(endMember)))
  const start = (name: string, port: number, rest: number): Member => {
    const own = join(folder, name)
    for (const path of [own, join(own, 'socket')]) giveToServer(path)
    const file = join(own, 'patroni.yml')
    giveToServer(file, configOf({ name, port, rest, folder: own, etcd: client!, dies }))
    return { name, port, rest, folder: own, child: launch(folder, name, PROGRAMS.patroni, [file]) }
  }
  const urlOf = ({ port }: Member, role: string, base = 'ergon') =>
    `postgresql://${role}@127.0.0.1:${port}/${base}`
  members.push(start('one', ports[0]!, ports[1]!))
  await until('a leader', () => isLeader(members[0]!), PATIENCE_MS)
  members.push(start('two', ports[2]!, ports[3]!))
  let leader = 0
  const primary = () => ({ sql: sqlOn(() => urlOf(members[leader]!, 'ergon_admin')) }) as Server
  const untilSynchronous = () =>
    until(
      'a synchronous standby',
      async () => {
        const sql = sqlOn(() => urlOf(members[leader]!, 'ergon_admin', 'postgres'))
        const synchronous = `select from pg_stat_replication where sync_state = 'sync'`
        return (await sql(synchronous).catch(() => [])).length === 1
      },
      PATIENCE_MS,
    )
  await untilSynchronous()
  await ensureDatabase({
    url: (role: string, base?: string) => urlOf(members[0]!, role, base),
  } as Server)
  await migrate(urlOf(members[0]!, 'ergon_admin'))
  const databases: Databases = {
    logs: () =>
      members.map(({ name }) => readFileSync(join(folder, `${name}.log`), 'utf8')).join(''),
    primary,
    /** Patroni of the other machine does the rest. */
    async promote() {
      const old = members[leader]!
      await (dies === 'machine' ? endMember(old) : endAll([old.child]))
      leader = 1 - leader
      await until('Patroni promotes', () => isLeader(members[leader]!), PATIENCE_MS)
    },
    /** The machine comes back: Patroni makes its server a standby, by pg_rewind. */
    async rebuild() {
      const { name, port, rest } = members[1 - leader]!
      members[1 - leader] = start(name, port, rest)
      await untilSynchronous()
    },
  }
  return {
    ...databases,
    sockets: members.map(({ folder: own, port }) => join(own, `socket/.s.PGSQL.${port}`)),
    direct: (role) => members.map((member) => urlOf(member, role)).join(','),
  }
}

function sqlOn(url: () => string): Server['sql'] {
  return async <Row>(text: string, values: unknown[] = []) => {
    const client = await connectClient({ connectionString: url(), connectionTimeoutMillis: 5_000 })
    try {
      return (await client.query(text, values)).rows as Row[]
    } finally {
      await client.end()
    }
  }
}

async function isLeader({ rest }: Member): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${rest}/primary`).catch(() => undefined)
  return answer?.status === 200
}

function launch(folder: string, name: string, program: string, args: string[]): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a')
  const [command, all] = commandAs(user, program, args)
  const env = { PATH: '/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8' }
  const child = spawn(command, all, { cwd: folder, env, stdio: ['ignore', log, log] })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

/** Patroni and its server, which is no child of it: a server that outlives its Patroni would go on taking writes. */
async function endMember({ child, folder }: Member) {
  const file = join(folder, 'data/postmaster.pid')
  const server = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
  await endAll(server > 0 ? [child, { pid: server }] : [child])
}

/** kill -9 of programs with everything that they started, at once. */
async function endAll(children: { pid?: number | undefined }[]) {
  const known = children.map(({ pid }) => pid!).filter((pid) => existsSync(`/proc/${pid}`))
  const pids = known.flatMap((pid) => [pid, ...descendantsOf(pid).map((one) => one.pid)])
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {}
  }
  await until('they are gone', () => pids.every((pid) => !existsSync(`/proc/${pid}`)), PATIENCE_MS)
}

const etcdArgs = (folder: string, client: number, peer: number) => {
  const [forClients, forPeers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
  return [
    ...[
      '--data-dir',
      folder,
      '--listen-client-urls',
      forClients,
      '--advertise-client-urls',
      forClients,
    ],
    ...['--listen-peer-urls', forPeers, '--initial-advertise-peer-urls', forPeers],
    ...['--initial-cluster', `default=${forPeers}`],
  ]
}

/** As docs/operating/database.md has it, but for passwords, which loopback does not need. */
const configOf = (at: {
  name: string
  port: number
  rest: number
  folder: string
  etcd: number
  dies: Dies
}) => `
scope: ergon
name: ${at.name}
restapi: { listen: "127.0.0.1:${at.rest}", connect_address: "127.0.0.1:${at.rest}" }
etcd3: { host: "127.0.0.1:${at.etcd}" }
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    maximum_lag_on_failover: 0
    synchronous_mode: true
    synchronous_mode_strict: ${at.dies === 'patroni'}
    postgresql:
      use_pg_rewind: true
      parameters: { max_connections: 200, wal_keep_size: 512MB }
  initdb: [{ encoding: UTF8 }, data-checksums]
postgresql:
  listen: "127.0.0.1:${at.port}"
  connect_address: "127.0.0.1:${at.port}"
  data_dir: ${at.folder}/data
  bin_dir: ${BINARIES}
  pgpass: ${at.folder}/pgpass
  basebackup: { checkpoint: fast }
  authentication:
    superuser: { username: ergon_admin, password: unused }
    replication: { username: ergon_backup, password: unused }
  pg_hba: ["local all all trust", "host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"]
  parameters: { unix_socket_directories: "${at.folder}/socket" }
`

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
  return ports
}
