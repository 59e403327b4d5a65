import { setTimeout as sleep } from 'node:timers/promises'
import { signerOf, withDatabase, withIdleService } from './idleService.ts'
import { timeOf, treeTime } from './processorTime.ts'
import type { Row, Suite } from './row.ts'

// npm run bench -- rest
// Processor time of an idle service with a block every three seconds: the service with all its
// roles, the signer and the database. The devnet is not counted.

const SETTLE_SECONDS = 15
const MEASURED_SECONDS = 60

export const measureRest: Suite = ({ seconds = MEASURED_SECONDS }) =>
  withDatabase(async (made) => {
    const database = made.postgres.pid
    const used = await withIdleService({ ...made, seconds: SETTLE_SECONDS }, async (pid) => {
      const read = () => [timeOf(pid), timeOf(signerOf(pid)), treeTime(database)]
      const before = read()
      await sleep(seconds * 1_000)
      return read().map((ms, place) => (ms - before[place]!) / (seconds * 10))
    })
    const percent = (value: number) => `${value.toFixed(1)} %`
    const [service, signer, postgres] = used as [number, number, number]
    const row: Row = {
      figure: `at rest for ${seconds} s: service, signer and database, of one core`,
      unit: '%',
      value: service + signer + postgres,
      atMost: true,
      must: 2,
      aim: 0.5,
    }
    const parts = `service ${percent(service)}, signer ${percent(signer)}, database ${percent(postgres)}`
    return { rows: [row], remarks: [`At rest: ${parts}.`] }
  })
