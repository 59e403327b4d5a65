import { chosenByDefault, type EventType, type Refusal, refuse } from '@ergon/contract'
import { createApart, type Db, type Tx } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import {
  createLoop,
  createTurns,
  isUuid,
  type Log,
  type Loop,
  type Runtime,
} from '../kernel/index.ts'
import { jsonColumn } from './columns.ts'
import { keepMessage } from './deliveries.sql.ts'
import { disabled } from './deliveries.ts'
import { REPLAYS_TO_GO_ON } from './due.sql.ts'
import { noWebhook } from './endpoints.ts'
import {
  countReplay,
  type DueReplayRow,
  endReplay,
  insertReplayEvents,
  lockDueReplays,
  moveReplay,
  type ReplayRow,
  startReplay,
  takeReplayEvent,
} from './replay.sql.ts'
import { findEndpoint, insertDeliveries, insertMessages, touchQueues } from './store.ts'
import { bodyOf } from './webhook.ts'

export type Replays = {
  /** Sends the events of a time again, in their order. */
  start(account: string, webhook: string, asked: Asked): Promise<ReplayRow | Refusal>
  loop: Loop
}

export type Asked = { from: string; to: string | undefined; types: EventType[] | undefined }

type Deps = { db: Db; runtime: Runtime; log: Log; events: Events; onQueued(): void }

const DAY_MS = 86_400_000
const DAYS_BACK_MAX = 30
const EVENTS_MAX = 100_000
/** 10 a second. */
const STEP_MS = 100
const BATCH = 100
const TYPES = Object.keys(chosenByDefault) as EventType[]

export function createReplays({ db, runtime, log, events, onQueued }: Deps): Replays {
  const { clock, ids } = runtime
  const apart = createApart({ db, clock, log }, { loop: 'webhooks.replay', kind: 'replay' })
  // One connection for each account: a start reads and writes up to a hundred thousand rows.
  const turns = createTurns(1)

  async function start(account: string, webhook: string, { from, to, types = TYPES }: Asked) {
    const now = clock.now()
    const range = { from: new Date(from), to: to === undefined ? now : new Date(to) }
    const [endpoint] = isUuid(webhook) ? await db.query(findEndpoint, [account, webhook]) : []
    if (!endpoint) return noWebhook
    const refusal = rangeRefusal(range, now)
    if (refusal) return refusal
    if (endpoint.status === 'disabled') return disabled
    return db.transaction(async (tx) => {
      const id = ids.next()
      const values = [id, webhook, range.from, range.to, types, now]
      const [started] = await tx.query(startReplay, values)
      if (!started) return refuse('replay_running')
      const found = await events.between(tx, account, { ...range, types, limit: EVENTS_MAX + 1 })
      // Thrown, so that the row above goes too.
      if (found.length > EVENTS_MAX) throw new TooMany()
      await tx.query(insertReplayEvents, [
        id,
        found.map((event) => event.id),
        found.map(({ createdAt }) => createdAt),
      ])
      const [counted] = await tx.query(countReplay, [id, found.length])
      return counted!
    })
  }

  /**
   * One event of a replay whose last one has been attempted. Each in a transaction of its own, because others lock
   * the queues of many webhooks in the order of their ids.
   */
  async function goOn(): Promise<'none due' | 'queued' | 'waits'> {
    let isDue = false
    const [isQueued] = await apart.claim(1, ({ most, skip, took }) =>
      db.transaction(async (tx) => {
        const now = clock.now()
        const [replay] = await tx.query(lockDueReplays, [now, most, skip])
        isDue = replay !== undefined
        if (!replay) return false
        took([replay.id])
        return step(tx, replay, now)
      }),
    )
    if (!isDue) return 'none due'
    return isQueued ? 'queued' : 'waits'
  }

  async function step(tx: Tx, { id, webhook, ...is }: DueReplayRow, now: Date): Promise<boolean> {
    const next = new Date(now.getTime() + STEP_MS)
    if (!is.isActive) {
      await tx.query(endReplay, [id, 'stopped'])
      return false
    }
    if (is.isWaiting) {
      await tx.query(moveReplay, [id, next, null])
      return false
    }
    const [taken] = await tx.query(takeReplayEvent, [id])
    if (!taken) {
      await tx.query(endReplay, [id, 'done'])
      return false
    }
    const event = await events.find(tx, taken.id, taken.at)
    // Dropped after 30 days, while the replay ran.
    if (!event) return false
    const delivery = ids.next()
    const message = [[event.id], [event.type], [event.trace], jsonColumn([bodyOf(event)]), now]
    await tx.query(insertMessages, message)
    await tx.query(keepMessage, [event.id, now])
    await tx.query(insertDeliveries, [[delivery], [webhook], [event.id], now])
    await tx.query(touchQueues, [[webhook], now])
    await tx.query(moveReplay, [id, next, delivery])
    return true
  }

  const loop = createLoop({
    name: 'webhooks.replay',
    everyMs: STEP_MS,
    due: REPLAYS_TO_GO_ON,
    log,
    async work() {
      for (let count = 0; count < BATCH; count++) {
        const became = await goOn()
        if (became === 'none due') break
        if (became === 'queued') onQueued()
      }
      return 0
    },
  })
  return {
    loop,
    async start(account, webhook, asked) {
      try {
        return await turns(account, () => start(account, webhook, asked))
      } catch (error) {
        if (error instanceof TooMany) return tooMany
        throw error
      } finally {
        loop.wake()
      }
    },
  }
}

class TooMany extends Error {}

const tooMany = because(
  `There are more than ${EVENTS_MAX} such events. Replay a shorter time, or fewer types.`,
)

function rangeRefusal({ from, to }: { from: Date; to: Date }, now: Date): Refusal | undefined {
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) {
    return because('from and to are times such as 2026-11-14T12:34:56.789Z.')
  }
  if (from > to) return because('from is later than to.')
  if (now.getTime() - from.getTime() > DAYS_BACK_MAX * DAY_MS) {
    return because(`from is more than ${DAYS_BACK_MAX} days back; older events are gone.`)
  }
  return undefined
}

function because(message: string): Refusal {
  return refuse('validation_error', { message })
}
