import { readFileSync } from 'node:fs'
import { type Idle, signerOf, withDatabase, withIdleService } from './idleService.ts'
import type { Row, Suite } from './row.ts'
import { seedWatched, WATCHED } from './seedWatched.ts'

// npm run bench -- memory
// Resident memory of the service with all roles and of the signer, after an idle minute. It runs as
// `npm start` runs it, without devnet and database. Of the signer only anonymous memory counts: its
// file pages, the node binary, are shared with the service.

const IDLE_SECONDS = 60

type Resident = { service: number; signer: number; peak: number }

/** From /proc/<pid>/status, in MB. */
export function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  if (!kilobytes) throw new Error(`${field} of ${pid} is not known`)
  return Number(kilobytes) / 1_024
}

async function measureIdle(given: Idle): Promise<Resident> {
  return withIdleService(given, async (pid) => {
    const [resident, peak] = [memoryOf(pid, 'VmRSS'), memoryOf(pid, 'VmHWM')]
    return { service: resident, signer: memoryOf(signerOf(pid), 'RssAnon'), peak }
  })
}

function lineOf({ service, signer, peak }: Resident): string {
  const mb = (value: number) => `${value.toFixed(0)} MB`
  return `service ${mb(service)}, at most ${mb(peak)}, and signer ${mb(signer)}`
}

export const measureMemory: Suite = ({ seconds = IDLE_SECONDS }) =>
  withDatabase(async (made) => {
    const given = { ...made, seconds }
    const bare = await measureIdle(given)
    await seedWatched(made.postgres.url('ergon_admin'))
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
  })
