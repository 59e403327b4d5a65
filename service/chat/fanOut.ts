import { type Claim, createApart, type Db } from '../db/index.ts'
import type { Events } from '../events/index.ts'
import { createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import { messageFor } from './messages.ts'
import { queueMessages } from './queue.ts'
import { listListeners } from './store.ts'

type Deps = {
  db: Db
  runtime: Runtime
  log: Log
  events: Events
  everyMs: number
  onQueued(): void
}

const BATCH = 200

/** Queues one message per chat that wants the event, in the transaction that takes the event. */
export function createFanOut({ db, runtime, log, events, everyMs, onQueued }: Deps): Loop {
  const of = { loop: 'chat.fanOut', kind: 'event' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  async function work(): Promise<number> {
    const taken = (await apart.claim(BATCH, fanOut)).reduce((sum, count) => sum + count, 0)
    if (taken > 0) onQueued()
    return taken
  }

  const fanOut = (claim: Claim): Promise<number> =>
    db.transaction(async (tx) => {
      const news = await events.take(tx, 'chat', claim)
      if (news.length === 0) return 0
      const accounts = [...new Set(news.map(({ account }) => account))]
      const listeners = Map.groupBy(await tx.query(listListeners, [accounts]), (l) => l.account)
      const messages = news.flatMap((event) =>
        (listeners.get(event.account) ?? [])
          .filter(({ types }) => types.includes(event.type))
          .map(({ app, address, account }) => ({ app, address, account, text: messageFor(event) })),
      )
      await queueMessages(tx, runtime.ids, messages)
      return news.length
    })

  return createLoop({ name: 'chat.fanOut', everyMs, due: events.due('chat'), log, work })
}
