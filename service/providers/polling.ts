import type { Apart, Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { claimPolls, type ProviderRow } from './providers.sql.ts'

/** When providers are asked for their offers. */
export type Polling = {
  /** Something was bought or planned: for a while each provider is asked as often as it may be. */
  noteTaken(): void
  /** Somebody looks at offers: at rest they are asked for again when they are some seconds old. */
  noteAsked(): void
  /** Makes the next poll due. */
  soon(): void
  /** Asks all of them now. */
  all(): Promise<void>
  loop: Loop
}

/** An offer is used for so long after its provider answered. */
export const FRESH_MS = 15_000
/** Own stake is asked every second for as long after a purchase, else as often as marketplaces. */
const BUSY_MS = 15_000
const POLL_MS = 1_000
/** While somebody asks what can be bought: one answer may be missing. */
const QUIET_MS = 7_000
/** When nobody does. Who does not answer then is asked again after a second, while its offer still holds. */
const REST_MS = 10_000

export function createPolling(deps: {
  db: Db
  clock: Clock
  log: Log
  apart: Apart
  /** Writes the offer of one provider; false when it has none. */
  pollOne(row: ProviderRow): Promise<boolean>
}): Polling {
  const { db, clock, log, apart, pollOne } = deps
  let takenMs = Number.NEGATIVE_INFINITY
  let polledMs = Number.NEGATIVE_INFINITY
  /** Providers whose last answer was an offer. */
  const selling = new Set<string>()
  /** One of them did not answer the last time. One that stays away is asked no more often than the others. */
  let isMissing = false

  const isBusy = () => clock.elapsedMs() - takenMs < BUSY_MS
  const isOld = () => clock.elapsedMs() - polledMs >= QUIET_MS

  async function poll(all: boolean): Promise<void> {
    isMissing = false
    const due = await db.query(claimPolls, [all])
    // Sorted, because an update returns rows in no fixed order and the simulation must be deterministic.
    const inOrder = due.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    await Promise.all(
      inOrder.map(async (row) => {
        if (await apart.alone(row.name, () => pollOne(row))) return void selling.add(row.name)
        if (selling.delete(row.name)) isMissing = true
      }),
    )
  }

  const loop = createLoop({
    name: 'providers.poll',
    everyMs: POLL_MS,
    restMs: REST_MS,
    async work() {
      if (isBusy() || isMissing || isOld()) {
        polledMs = clock.elapsedMs()
        // Who did not answer is claimed again at once.
        await poll(isMissing)
      }
      // It rests while nobody buys and everybody answers.
      loop.notice(isBusy() || isMissing)
      return 0
    },
    log,
  })

  return {
    noteTaken() {
      takenMs = clock.elapsedMs()
      loop.notice(true)
    },
    noteAsked() {
      if (isOld()) loop.wake()
    },
    soon() {
      polledMs = Number.NEGATIVE_INFINITY
      loop.wake()
    },
    all: () => poll(true),
    loop,
  }
}
