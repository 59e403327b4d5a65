import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import packageJson from '../../package.json' with { type: 'json' }
import { ensureDatabase, migrate, type Postgres, startPostgres } from '../../service/db/index.ts'

const START_MS_MAX = 60_000
const LOOK_MS = 100
const ROOT = join(import.meta.dirname, '..', '..')

export type Idle = { postgres: Postgres; data: string; seconds: number }

/** Creates a migrated database and removes it afterwards. */
export async function withDatabase<T>(
  work: (made: Omit<Idle, 'seconds'>) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  try {
    await ensureDatabase(postgres)
    await migrate(postgres.url('ergon_admin'))
    return await work({ postgres, data: join(folder, 'data') })
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Runs the service as `npm start` does, leaves it idle for so many seconds, and then measures it.
 */
export async function withIdleService<T>(
  { postgres, data, seconds }: Idle,
  look: (pid: number) => Promise<T>,
): Promise<T> {
  const service = spawn('sh', ['-c', packageJson.scripts.start], {
    cwd: ROOT,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      DATA_DIR: data,
      PORT: '0',
      DEVNET_PORT: '0',
      DATABASE_URL: postgres.url('ergon_app'),
      DATABASE_SIGNER_URL: postgres.url('ergon_signer'),
      DATABASE_ADMIN_URL: postgres.url('ergon_admin'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await isUp(service)
    await sleep(seconds * 1_000)
    return await look(service.pid!)
  } finally {
    await stop(service)
  }
}

export function signerOf(service: number): number {
  const children = readFileSync(`/proc/${service}/task/${service}/children`, 'utf8')
  const pids = children.trim().split(' ').map(Number)
  const signer = pids.find((pid) => commandOf(pid).includes('service/signer.ts'))
  if (!signer) throw new Error('the signer does not run')
  return signer
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

async function isUp(service: ChildProcess): Promise<void> {
  let output = ''
  service.stdout!.on('data', (chunk: Buffer) => {
    output += chunk
  })
  for (let waited = 0; !output.includes('Ergon sandbox is up'); waited += LOOK_MS) {
    if (service.exitCode !== null || waited > START_MS_MAX) throw new Error('it did not start')
    await sleep(LOOK_MS)
  }
}

function stop(service: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (service.exitCode !== null || service.signalCode !== null) return resolve()
    service.once('exit', () => resolve())
    service.kill('SIGTERM')
  })
}
