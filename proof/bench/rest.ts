import { setTimeout as sleep } from 'node:timers/promises'
import { connectClient } from '../../service/db/index.ts'
import { signerOf, withDatabase, withIdleService } from './idleService.ts'
import { timeOf, treeTime } from './processorTime.ts'
import type { Row, Suite } from './row.ts'

// npm run bench -- rest
// Processor time of an idle service with a block every three seconds: the service with all its
// roles, the signer and the database. The devnet is not counted. It is the sandbox, whose loops are
// those of production, with four marketplaces and a chat app.

/** The first minute after a start sweeps a deposit, plans statements and compiles. */
const SETTLE_SECONDS = 60
const MEASURED_SECONDS = 60

export const measureRest: Suite = ({ seconds = MEASURED_SECONDS }) =>
  withDatabase(async (made) => {
    const { pid: database, url } = made.postgres
    const measured = await withIdleService({ ...made, seconds: SETTLE_SECONDS }, async (pid) => {
      const read = () => [timeOf(pid), timeOf(signerOf(pid)), treeTime(database)]
      const activityBefore = await activityOf(url('ergon_admin'))
      const before = read()
      await sleep(seconds * 1_000)
      const used = read().map((ms, place) => (ms - before[place]!) / (seconds * 10))
      const { commits, connections } = await activityOf(url('ergon_admin'))
      return { used, commits: (commits - activityBefore.commits) / seconds, connections }
    })
    const percent = (value: number) => `${value.toFixed(1)} %`
    const [service, signer, postgres] = measured.used as [number, number, number]
    const row: Row = {
      figure: `at rest for ${seconds} s: service, signer and database, of one core`,
      unit: '%',
      value: service + signer + postgres,
      atMost: true,
      must: 2,
      aim: 0.5,
    }
    const parts = `service ${percent(service)}, signer ${percent(signer)}, database ${percent(postgres)}`
    const { commits, connections } = measured
    const asked = `${commits.toFixed(1)} transactions a second over ${connections} connections`
    return { rows: [row], remarks: [`At rest: ${parts}; ${asked}.`] }
  })

async function activityOf(url: string): Promise<{ commits: number; connections: number }> {
  const client = await connectClient({ connectionString: url })
  try {
    const { rows } = await client.query(
      `select (select xact_commit from pg_stat_database where datname = current_database())::int as commits,
              (select count(*) from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid())::int as connections`,
    )
    return rows[0]
  } finally {
    await client.end()
  }
}
