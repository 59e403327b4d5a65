// Proves: db.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { type Moment, openFatalServer } from '../testing/fatalServer.ts'
import { until } from '../testing/until.ts'

// The database ends sessions: a restart, a fail-over, an administrator. Pending statements fail,
// and the process continues. A pooled client may read the end of its session together with the
// answer that frees it; by then it belongs to the next caller, who has no error listener yet.

const PROGRAM = join(import.meta.dirname, 'poolProgram.ts')

function run(url: string, way: string, rounds: number) {
  const child = spawn(process.execPath, [PROGRAM, url, way, String(rounds)])
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<number | null>((end) => child.once('close', end))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { ended, output: () => output, isRunning: () => child.exitCode === null }
}

const moments: Moment[] = ['connected', 'answered']
const ways = ['query', 'handed', 'transaction', 'schema']

test.each(moments.flatMap((moment) => ways.map((way) => [moment, way] as const)))(
  'a session that is ended as soon as it has %s does not end the process: %s',
  async (moment, way) => {
    const server = await openFatalServer(moment)
    onTestFinished(server.close)
    const program = run(server.url, way, 5)
    const code = await program.ended
    expect(program.output()).toContain('alive')
    expect(code).toBe(0)
    expect(server.fatals()).toBeGreaterThan(1)
  },
)

test.each(ways)(
  'sessions ended by the server under load do not end the process: %s',
  async (way) => {
    const database = await createTestDatabase()
    const program = run(database.url('ergon_app'), way, 100)
    let ended = 0
    await until('the program to be connected', () => program.output().includes('up'))
    while (program.isRunning()) {
      const rows = await database.sql<{ ended: boolean }>(
        `select pg_terminate_backend(pid) as ended from pg_stat_activity
        where datname = current_database() and application_name like 'pool-program%'`,
      )
      ended += rows.length
    }
    const code = await program.ended
    await database.drop()
    expect(program.output()).toContain('alive')
    expect(code).toBe(0)
    expect(ended).toBeGreaterThan(0)
  },
)
