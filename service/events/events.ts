import { stringifyJson } from '@ergon/tron'
import type { Db, Tx } from '../db/index.ts'
import { createLoop, type Doors, type Log, type Loop } from '../kernel/index.ts'
import { emitMany, prepareDays } from './store.ts'

type EventType =
  | 'order.status_changed'
  | 'autoenergy.activated'
  | 'autoenergy.delegated'
  | 'autoenergy.closed'
  | 'agent.sale'
  | 'agent.payment_skipped'
  | 'agent.config_at_risk'

export type NewEvent = {
  account: string
  type: EventType
  /** What it is about; one event of a type per subject. */
  subject: string
  trace: string
  data: Record<string, unknown>
}

export type Events = {
  /** Written in the transaction of the thing that happened; sent by somebody else afterwards. */
  emit(tx: Tx, events: readonly NewEvent[]): Promise<void>
  /** Makes the partitions of the days up to a week after the given one, which is today by default. */
  prepare(from?: Date): Promise<void>
  loop: Loop
}

const DAYS_AHEAD = 7
const DAY_MS = 86_400_000

export function createEvents({ db, doors, log }: { db: Db; doors: Doors; log: Log }): Events {
  const { clock, ids } = doors

  async function prepare(from = clock.now()) {
    const last = new Date(from.getTime() + DAYS_AHEAD * DAY_MS)
    await db.query(prepareDays, [isoDay(from), isoDay(last)])
  }

  return {
    async emit(tx, events) {
      const column = <T>(pick: (event: NewEvent) => T) => events.map(pick)
      const now = clock.now()
      await tx.query(emitMany, [
        column(() => ids.next()),
        column((e) => e.account),
        column((e) => e.type),
        column((e) => e.subject),
        column(() => now),
        column((e) => e.trace),
        column((e) => stringifyJson(e.data)),
      ])
    },
    prepare,
    loop: createLoop({
      name: 'events.prepareDays',
      everyMs: 3_600_000,
      log,
      work: () => prepare().then(() => 0),
    }),
  }
}

function isoDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}
