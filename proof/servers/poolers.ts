import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { commandAs } from '../../service/db/index.ts'
import { giveToServer, temporaryFolder, user } from '../testing/cluster.ts'
import { openTransactionPooler } from '../testing/transactionPooler.ts'
import { until } from '../testing/until.ts'
import { type AnyServer, openAnyServer } from './anyServer.ts'
import { programsOf } from './programs.ts'
import { ergon, settingsOf, startOn, trade } from './trade.ts'

const PLACES = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer']
const SENTENCE = /A pooler in transaction mode is in front of PostgreSQL/

export type PoolersReport = {
  with: string
  tried: string[]
  notTried: string[]
  failures: string[]
}

/** The whole service behind PgBouncer: session mode works, transaction mode is refused by all that meets it. */
export async function runPoolers(say: (line: string) => void): Promise<PoolersReport> {
  const folder = temporaryFolder('poolers')
  const program = PLACES.find(existsSync)
  const report: PoolersReport = {
    with: program ?? 'a stand-in',
    tried: [],
    notTried: [],
    failures: [],
  }
  const attempt = async (mode: string, work: () => Promise<string>) => {
    try {
      say(`${mode}: ${await work()}`)
      report.tried.push(mode)
    } catch (error) {
      report.failures.push(`${mode}: ${(error as Error).message}`)
      say(`${mode}: FAILED ${(error as Error).message}`)
    }
  }
  const found = programsOf(18, folder)
  if ('notTried' in found) return { ...report, notTried: [found.notTried] }
  const server = await openAnyServer(found.folder, join(folder, 'server'))
  try {
    if (program)
      await attempt('session', () => inSessionMode(server, program, join(folder, 'session')))
    else {
      report.notTried.push('session mode: PgBouncer is not installed')
      say('session: not tried: PgBouncer is not installed')
    }
    await attempt('transaction', () =>
      inTransactionMode(server, program, join(folder, 'transaction')),
    )
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return report
}

async function inSessionMode(server: AnyServer, program: string, folder: string): Promise<string> {
  const pooler = await openPgBouncer(server, { program, folder, mode: 'session' })
  try {
    const data = join(folder, 'ergon')
    mkdirSync(data)
    const { delivered, audit } = await trade(pooler.url, data)
    const [row] = await server.sql(
      `select count(*)::int as sessions from pg_stat_activity where backend_type = 'client backend' and datname = 'ergon'`,
    )
    return `${pooler.version}: ${delivered} orders delivered. ${audit} ${row!.sessions} sessions are left at the server.`
  } finally {
    await pooler.close()
  }
}

async function inTransactionMode(
  server: AnyServer,
  program: string | undefined,
  folder: string,
): Promise<string> {
  // The schema is there: only the pooler can be refused.
  await ergon(['migrate'], { DATABASE_ADMIN_URL: server.url('ergon_admin') })
  mkdirSync(join(folder, 'ergon'), { recursive: true })
  const data = join(folder, 'ergon')
  if (program) {
    const pooler = await openPgBouncer(server, { program, folder, mode: 'transaction' })
    try {
      return await expectRefusal(pooler.url, data, ['start', 'migrate', 'doctor', 'signer'])
    } finally {
      await pooler.close()
    }
  }
  // The stand-in has one role.
  const standIn = await openTransactionPooler(server.url('ergon_app'))
  try {
    return `a stand-in, because PgBouncer is not installed: ${await expectRefusal(() => standIn.url, data, ['start', 'doctor'])}`
  } finally {
    standIn.close()
  }
}

async function expectRefusal(url: (role: string) => string, data: string, all: string[]) {
  const meet: Record<string, () => Promise<{ code: number; text: string }>> = {
    start: () => startOn(url, data),
    migrate: () => ergon(['migrate'], { DATABASE_ADMIN_URL: url('ergon_admin') }),
    doctor: () => ergon(['doctor'], settingsOf(url, data)),
    signer: () => startSignerOn(url('ergon_signer')),
  }
  let said = ''
  for (const name of all) {
    const { code, text } = await meet[name]!()
    if (code !== 1 || !SENTENCE.test(text)) throw new Error(`${name} ended with ${code}: ${text}`)
    if (name === 'start') said = text
  }
  return `refused by ${all.join(', ')}. "${said}"`
}

function startSignerOn(url: string): Promise<{ code: number; text: string }> {
  const path = join(import.meta.dirname, '../../service/signer.ts')
  const mnemonic = join(import.meta.dirname, '../../service/app/sandbox-mnemonic.txt')
  const env = { DATABASE_SIGNER_URL: url, SIGNER_MNEMONIC_FILE: mnemonic }
  const child = spawn(process.execPath, [path], { env, timeout: 60_000 })
  let text = ''
  child.stderr.on('data', (data) => {
    text += data
  })
  return new Promise((resolve) =>
    child.once('close', (code) => resolve({ code: code ?? -1, text })),
  )
}

type Pooler = { url(role: string): string; version: string; close(): Promise<void> }

async function openPgBouncer(
  server: AnyServer,
  { program, folder, mode }: { program: string; folder: string; mode: string },
): Promise<Pooler> {
  giveToServer(folder)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const log = join(folder, 'log')
  giveToServer(
    file,
    // As docs/operating/machines.md has it.
    `[databases]
ergon = host=${server.socket} dbname=ergon
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = ${mode}
default_pool_size = 60
max_client_conn = 400
logfile = ${log}
`,
  )
  const roles = ['ergon_admin', 'ergon_app', 'ergon_api', 'ergon_signer']
  giveToServer(join(folder, 'users'), roles.map((role) => `"${role}" ""\n`).join(''))
  const [command, args] = commandAs(user, program, [file])
  const output = openSync(join(folder, 'output'), 'a')
  const child: ChildProcess = spawn(command, args, { cwd: '/', stdio: ['ignore', output, output] })
  const isUp = () => existsSync(log) && readFileSync(log, 'utf8').includes('process up')
  await until('PgBouncer is up', () => {
    if (child.exitCode === null) return isUp()
    throw new Error(readFileSync(join(folder, 'output'), 'utf8'))
  })
  const [, version = 'PgBouncer'] =
    /process up: (PgBouncer [\d.]+)/.exec(readFileSync(log, 'utf8')) ?? []
  return {
    version,
    url: (role) => `postgresql://${role}@127.0.0.1:${port}/ergon`,
    async close() {
      if (child.exitCode !== null) return
      child.kill('SIGKILL')
      await new Promise((ended) => child.once('exit', ended))
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
