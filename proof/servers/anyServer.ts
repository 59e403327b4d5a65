import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandAs, connectClient } from '../../service/db/index.ts'
import { prepare, user } from '../testing/cluster.ts'
import { until } from '../testing/until.ts'

/** A server of any version, with the roles that docs/operating/database.md makes: its administrator is no superuser. */
export type AnyServer = {
  socket: string
  version: string
  url(role: string): string
  sql(text: string, base?: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

const ROLES = `
  create role ergon_admin login createrole;
  create role ergon_app login;
  create role ergon_api login;
  create role ergon_signer login;
  grant pg_monitor to ergon_admin`

export async function openAnyServer(programs: string, folder: string): Promise<AnyServer> {
  const data = join(folder, 'data')
  const socket = join(folder, 'socket')
  prepare(folder, data)
  run(join(programs, 'initdb'), [
    '-D',
    data,
    '-U',
    'root_of_server',
    '--auth=trust',
    '--encoding=UTF8',
    '--no-sync',
    '--no-locale',
  ])
  appendFileSync(
    join(data, 'postgresql.conf'),
    `listen_addresses = ''\nunix_socket_directories = '${socket}'\nmax_connections = 200\n`,
  )
  const child = launch(join(programs, 'postgres'), data, join(folder, 'log'))
  const url = (role: string, base = 'ergon') =>
    `postgresql://${role}@localhost/${base}?host=${socket}`
  const sql = async (text: string, base = 'ergon') => {
    const client = await connectClient({ connectionString: url('root_of_server', base) })
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  await until(
    'the server answers',
    () =>
      sql('select', 'postgres').then(
        () => true,
        () => false,
      ),
    60_000,
  )
  await sql(ROLES, 'postgres')
  await sql('create database ergon owner ergon_admin', 'postgres')
  const [row] = await sql('show server_version', 'postgres')
  return {
    ...{ socket, url, sql, version: String(row!.server_version).split(' ')[0]! },
    async close() {
      child.kill('SIGINT')
      await new Promise((ended) => (child.exitCode === null ? child.once('exit', ended) : ended(0)))
    },
  }
}

function run(program: string, args: string[]) {
  const [command, all] = commandAs(user, program, args)
  execFileSync(command, all, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
}

function launch(program: string, data: string, logFile: string): ChildProcess {
  const [command, args] = commandAs(user, program, ['-D', data])
  const log = openSync(logFile, 'a')
  const child = spawn(command, args, { cwd: '/', detached: true, stdio: ['ignore', log, log] })
  process.once('exit', () => child.kill('SIGINT'))
  child.once('exit', (code) => {
    if (code) console.log(readFileSync(logFile, 'utf8').slice(-2_000))
  })
  return child
}
