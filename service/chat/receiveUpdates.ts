import { createApart, type Db } from '../db/index.ts'
import { createAllowance, createLoop, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import type { ChatApp, Update } from './app.ts'
import type { Chats } from './chats.ts'
import type { Lease } from './lease.ts'
import { replies } from './messages.ts'
import { queueMessages } from './queue.ts'
import { readReceived, setReceived } from './receiveUpdates.sql.ts'

type Deps = { db: Db; runtime: Runtime; log: Log; lease: Lease; chats: Chats; onQueued(): void }

const PAUSE_MS = 500
const PAUSE_MS_MAX = 30_000
/** Codes that one chat may try. Beyond them it gets no answer, so that guessing shows nothing. */
const TRIES = { most: 5, windowMs: 600_000 }
const START = /^\/start(?:@\w+)?\s+([A-Za-z0-9]{4,64})\s*$/
const STOP = /^\/stop(?:@\w+)?\s*$/

/**
 * Receives updates of one app. The cursor, the change and the answer are one transaction, so an update
 * counts once even if the app repeats it.
 */
export function createReceiving(deps: Deps, app: ChatApp): Loop {
  const { db, runtime, log, lease, chats } = deps
  const mayTry = createAllowance(runtime.clock, TRIES)
  const listen = createPatience(deps, app.name)
  const of = { loop: `chat.receive.${app.name}`, kind: 'update' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)
  /** Updates that are put aside. They are in this process only: a person repeats a command. */
  let later: Update[] = []

  async function answer(update: Update, tx: Parameters<Chats['redeem']>[0]) {
    const code = START.exec(update.text)?.[1]
    if (code !== undefined) {
      return mayTry(update.address) > 0 ? undefined : chats.redeem(tx, app.name, update, code)
    }
    if (!STOP.test(update.text)) return undefined
    await chats.unlink(tx, { app: app.name, address: update.address })
    return replies.stopped
  }

  /** One transaction per update: it locks one account's chats, then one chat. */
  async function handle(update: Update, below: string): Promise<boolean> {
    return db.transaction(async (tx) => {
      const [ours] = await tx.query(setReceived, [app.name, lease.owner(), below])
      // Another process took the lease meanwhile and will handle the update.
      if (!ours) return false
      const text = await answer(update, tx)
      const place = { app: app.name, address: update.address, account: null }
      if (text !== undefined) await queueMessages(tx, runtime.ids, [{ ...place, text }])
      return true
    })
  }

  async function retryLater(below: string): Promise<void> {
    for (const update of later) {
      const isDone = await apart.alone(update.below, () => handle(update, below).then(() => true))
      if (isDone) later = later.filter((one) => one !== update)
    }
  }

  async function work(): Promise<number> {
    if (!lease.isOurs(app.name) || !listen.isTime()) return 0
    const [row] = await db.query(readReceived, [app.name])
    const from = row?.below ?? null
    if (from !== null) await retryLater(from)
    const updates = await app.receiveUpdates(from)
    if ('trouble' in updates) {
      listen.later(updates.trouble)
      return 0
    }
    listen.well()
    if (updates.below === from) return 0
    for (const update of updates.updates) {
      const isOurs = await apart.alone(update.below, () => handle(update, update.below))
      if (isOurs === undefined) later.push(update)
      if (isOurs === false) return 0
    }
    await db.query(setReceived, [app.name, lease.owner(), updates.below])
    if (updates.updates.length > 0) deps.onQueued()
    return updates.updates.length
  }

  return createLoop({ name: `chat.receive.${app.name}`, everyMs: PAUSE_MS, log, work })
}

/** Backoff for an app that cannot be reached. */
function createPatience({ runtime, log }: Pick<Deps, 'runtime' | 'log'>, name: string) {
  let failures = 0
  let untilMs = 0
  return {
    isTime: () => runtime.clock.elapsedMs() >= untilMs,
    well() {
      failures = 0
    },
    later(reason: string) {
      failures += 1
      const pause = Math.min(PAUSE_MS * 2 ** Math.min(failures, 10), PAUSE_MS_MAX)
      untilMs = runtime.clock.elapsedMs() + pause
      if (reason !== 'closing') log.warn('chat_updates_not_received', { name, reason, failures })
    },
  }
}
