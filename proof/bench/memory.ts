import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import packageJson from '../../package.json' with { type: 'json' }
import { ensureDatabase, migrate, type Postgres, startPostgres } from '../../service/db/index.ts'
import type { Row, Suite } from './row.ts'
import { seedWatched, WATCHED } from './seedWatched.ts'

// npm run bench -- memory
// Resident memory of the service, every role of it and the signer, after a minute in which nobody
// called. It runs as `npm start` runs it; the devnet and the database beside it are not counted, and
// of the signer not the pages of files, which are those of the service: the node binary.

const IDLE_SECONDS = 60
const START_MS_MAX = 60_000
const LOOK_MS = 100
const ROOT = join(import.meta.dirname, '..', '..')

type Resident = { service: number; signer: number; peak: number }

/** From /proc/<pid>/status, in MB. */
function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  if (!kilobytes) throw new Error(`${field} of ${pid} is not known`)
  return Number(kilobytes) / 1_024
}

function signerOf(service: number): number {
  const children = readFileSync(`/proc/${service}/task/${service}/children`, 'utf8')
  const pids = children.trim().split(' ').map(Number)
  const signer = pids.find((pid) => commandOf(pid).includes('service/signer.ts'))
  if (!signer) throw new Error('the signer does not run')
  return signer
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

type Idle = { postgres: Postgres; data: string; seconds: number }

async function measureIdle({ postgres, data, seconds }: Idle): Promise<Resident> {
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
    const pid = service.pid!
    const [resident, peak] = [memoryOf(pid, 'VmRSS'), memoryOf(pid, 'VmHWM')]
    return { service: resident, signer: memoryOf(signerOf(pid), 'RssAnon'), peak }
  } finally {
    await stop(service)
  }
}

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

function lineOf({ service, signer, peak }: Resident): string {
  const mb = (value: number) => `${value.toFixed(0)} MB`
  return `service ${mb(service)}, at most ${mb(peak)}, and signer ${mb(signer)}`
}

export const measureMemory: Suite = async ({ seconds = IDLE_SECONDS }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ergon-bench-'))
  const postgres = await startPostgres({ folder: join(folder, 'postgres') })
  try {
    await ensureDatabase(postgres)
    await migrate(postgres.url('ergon_admin'))
    const given = { postgres, data: join(folder, 'data'), seconds }
    const bare = await measureIdle(given)
    await seedWatched(postgres.url('ergon_admin'))
    const watching = await measureIdle(given)
    const row = ({ service, signer }: Resident, what: string): Row => ({
      figure: `resident memory, service and signer, idle for ${seconds} s${what}`,
      unit: 'MB',
      value: service + signer,
      atMost: true,
    })
    const watched = `${WATCHED.toLocaleString('en-US')} watched addresses`
    return {
      rows: [
        { ...row(bare, ''), must: 260, aim: 180 },
        { ...row(watching, `, ${watched}`), must: 400, aim: 300 },
      ],
      remarks: [`Memory: ${lineOf(bare)}; with ${watched}: ${lineOf(watching)}.`],
    }
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
