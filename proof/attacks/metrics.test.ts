// Proves: http, audit.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@ergon/devnet'
import { addressDeriver } from '@ergon/tron'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { SANDBOX_DEPOSIT_XPUB } from '../../service/app/sandboxNetwork.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { buildPages } from '../testing/pages.ts'
import { startProgram } from '../testing/program.ts'
import { until } from '../testing/until.ts'
import { openDevnet } from '../testing/world.ts'

// A stranger asks a production service for what only its operator may know: what it has and owes,
// what it pays for Energy, what is wrong with it.

const MINUTES = 180_000
/** Another loopback address: a server on 127.0.0.1 does not answer there, one on 0.0.0.0 does. */
const ELSEWHERE = '127.0.0.2'

let database: TestDatabase
let devnet: Devnet
beforeAll(async () => {
  buildPages()
  database = await createTestDatabase()
  // As a signer would have published it: without one the service waits.
  const first = addressDeriver(SANDBOX_DEPOSIT_XPUB)(0)
  await database.sql('insert into signing.deposit_root (first_address) values ($1)', [first])
  devnet = await openDevnet({ blockMs: 200 })
})
afterAll(async () => {
  await devnet.close()
  await database.drop()
})

/** The service as its operator starts it: in production mode, on a public address. */
async function startService(env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-metrics-'))
  const program = startProgram({
    env: {
      MODE: 'production',
      HOST: '0.0.0.0',
      DATA_DIR: folder,
      DATABASE_URL: database.url('ergon_app'),
      TRON_URL: devnet.url,
      DEPOSIT_XPUB: SANDBOX_DEPOSIT_XPUB,
      ...env,
    },
  })
  onTestFinished(async () => {
    program.kill('SIGTERM')
    await program.ended
    rmSync(folder, { recursive: true, force: true })
  })
  const port = await until(
    'the service to listen',
    () => {
      if (!program.isRunning()) throw new Error(program.complaints())
      return /listens on http:\/\/0\.0\.0\.0:(\d+)/.exec(program.output())?.[1]
    },
    MINUTES,
  )
  return { program, main: `http://${ELSEWHERE}:${port}` }
}

async function ask(url: string) {
  const answer = await fetch(url)
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    text: await answer.text(),
  }
}

test(
  'the main port has no metrics: /metrics is a path like any other that is not there',
  async () => {
    const metricsPort = String(await freePort())
    const { main } = await startService({ METRICS_PORT: metricsPort })
    const unknown = await ask(`${main}/no-such-path`)
    expect(unknown.status).toBe(404)
    expect(await ask(`${main}/metrics`)).toEqual(unknown)
    expect(await ask(`${main}/metrics/`)).toEqual(unknown)
    // By default the operator's port answers on 127.0.0.1 only.
    const served = await ask(`http://127.0.0.1:${metricsPort}/metrics`)
    expect(served.text).toMatch(/^ergon_reconciliation_surplus_trx|^ergon_selling /m)
    await expect(fetch(`http://${ELSEWHERE}:${metricsPort}/metrics`)).rejects.toThrow()
  },
  MINUTES,
)

test(
  'without METRICS_PORT there are no metrics, and readiness is yes or no',
  async () => {
    const { main, program } = await startService({})
    expect((await ask(`${main}/metrics`)).status).toBe(404)
    const ready = await until('the service to be ready', async () => {
      const answer = await ask(`${main}/readyz`)
      return answer.status === 200 && answer
    })
    expect(ready.text).toBe('{"status":"ready"}')
    await takeDatabaseAway()
    const unready = await until('the service to be unready', async () => {
      const answer = await ask(`${main}/readyz`)
      return answer.status === 503 && answer
    })
    expect(unready.text).toBe('{"status":"not ready"}')
    // The operator finds the reason in the log.
    const line = await until('the reason in the log', () =>
      program
        .complaints()
        .split('\n')
        .find((one) => one.includes('"not_ready"')),
    )
    expect(line).toMatch(/"name":"database".*"reason":"/)
    await giveDatabaseBack()
  },
  MINUTES,
)

test(
  'the operator’s port says why the service is not ready',
  async () => {
    const METRICS_PORT = String(await freePort())
    const METRICS_HOST = '127.0.0.3'
    const { main } = await startService({ METRICS_PORT, METRICS_HOST })
    const own = `http://${METRICS_HOST}:${METRICS_PORT}`
    await takeDatabaseAway()
    // A service that has just started may lack something else first.
    const response = await until('the answer on the port', async () => {
      const answer = await ask(`${own}/readyz`)
      return answer.status === 503 && answer.text.includes('"database"') && answer
    })
    expect(JSON.parse(response.text)).toMatchObject({
      status: 'not ready',
      troubles: { database: expect.any(String) },
    })
    const told = await until('the answer on the main port', async () => {
      const answer = await ask(`${main}/readyz`)
      return answer.status === 503 && answer
    })
    expect(told.text).toBe('{"status":"not ready"}')
    await giveDatabaseBack()
  },
  MINUTES,
)

async function databaseName(): Promise<string> {
  const [row] = await database.sql<{ name: string }>('select current_database() as name')
  return row!.name
}

async function takeDatabaseAway() {
  const name = await databaseName()
  await database.sql(`revoke connect on database ${name} from public, ergon_app`)
  await database.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where usename = 'ergon_app' and datname = current_database()`,
  )
}

async function giveDatabaseBack() {
  await database.sql(`grant connect on database ${await databaseName()} to ergon_app`)
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
