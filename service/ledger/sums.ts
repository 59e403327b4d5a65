import { createHorizon, type Db, NEW_MS } from '../db/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import { addUp, newestMovement } from './store.ts'

const EVERY_MS = 60_000
const SLICE = 10_000

/**
 * Adds movements to the sums that `owed` begins with, in slices, up to the newest that was there two minutes
 * ago. So what is read after the checkpoint are minutes of movements, also in an old service.
 */
export function createSumLoop({ db, runtime, log }: { db: Db; runtime: Runtime; log: Log }): Loop {
  const horizon = createHorizon(runtime.clock, NEW_MS)
  return createLoop({
    name: 'ledger.addUp',
    everyMs: EVERY_MS,
    log,
    async work() {
      horizon.note('movement', (await db.query(newestMovement))[0]?.id ?? null)
      const upto = horizon.before('movement', NEW_MS)
      if (!upto) return 0
      const { movements } = (await db.query(addUp, [upto, SLICE]))[0]!
      return movements < SLICE ? 0 : SLICE
    },
  })
}
