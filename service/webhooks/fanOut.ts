import { type Claim, createApart, type Db } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import { jsonColumn, plainColumn } from './columns.ts'
import { insertDeliveries, insertMessages, listSubscribers, touchQueues } from './store.ts'
import { bodyOf } from './webhook.ts'

type Deps = { db: Db; runtime: Runtime; log: Log; events: Events; onQueued(): void }

const BATCH = 1_000

/** Queues one delivery per webhook that wants the event, in the transaction that takes the event. */
export function createFanOut({ db, runtime, log, events, onQueued }: Deps): Loop {
  const { ids, clock } = runtime
  const apart = createApart({ db, clock, log }, { loop: 'webhooks.fanOut', kind: 'event' })

  async function work(): Promise<number> {
    const done = await apart.claim(BATCH, fanOut)
    if (done.some(({ queued }) => queued > 0)) onQueued()
    return done.reduce((sum, { taken }) => sum + taken, 0)
  }

  const fanOut = (claim: Claim): Promise<{ taken: number; queued: number }> =>
    db.transaction(async (tx) => {
      const news = await events.take(tx, 'webhooks', claim)
      if (news.length === 0) return { taken: 0, queued: 0 }
      const accounts = [...new Set(news.map((event) => event.account))]
      const subscribers = Map.groupBy(await tx.query(listSubscribers, [accounts]), (s) => s.account)
      const pairs = news.flatMap((event) =>
        (subscribers.get(event.account) ?? [])
          .filter(({ types }) => types.includes(event.type))
          .map(({ id }) => ({ event: event.id, webhook: id })),
      )
      if (pairs.length === 0) return { taken: news.length, queued: 0 }
      const wanted = new Set(pairs.map(({ event }) => event))
      const messages = news.filter(({ id }) => wanted.has(id))
      const now = clock.now()
      await tx.query(insertMessages, [
        plainColumn(messages.map(({ id }) => id)),
        messages.map(({ type }) => type),
        messages.map(({ trace }) => trace),
        jsonColumn(messages.map(bodyOf)),
        now,
      ])
      await tx.query(insertDeliveries, [
        plainColumn(pairs.map(() => ids.next())),
        plainColumn(pairs.map(({ webhook }) => webhook)),
        plainColumn(pairs.map(({ event }) => event)),
        now,
      ])
      await tx.query(touchQueues, [[...new Set(pairs.map(({ webhook }) => webhook))], now])
      return { taken: news.length, queued: pairs.length }
    })

  return createLoop({
    name: 'webhooks.fanOut',
    everyMs: 250,
    due: events.due('webhooks'),
    log,
    work,
  })
}
