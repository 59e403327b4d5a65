import { createApart, type Db } from '../db/index.ts'
import {
  type Clock,
  createLoop,
  type Log,
  type Loop,
  type Runtime,
  within,
} from '../kernel/index.ts'
import type { ChatApp, SendResult } from './app.ts'
import type { Chats } from './chats.ts'
import { CHATS_TO_SEND } from './due.sql.ts'
import type { Lease } from './lease.ts'
import {
  type DueRow,
  deleteMessages,
  lockConversation,
  readDue,
  restConversation,
} from './sendMessages.sql.ts'

type Deps = { db: Db; runtime: Runtime; log: Log; lease: Lease; chats: Chats }
type Outcome = { address: string; ids: string[]; result: SendResult; failures: number }

const POLL_MS = 250
const DRAIN_MS = 1_000
/** Most messages joined into one, so that a busy account stays within the rate of a chat. */
const JOINED_MAX = 40
/** Messages that may be sent at once after a quiet time; with the rate, below the app's limit in any second. */
const BURST = 5
const RETRY_MS = 2_500
const RETRY_MS_MAX = 900_000
/** When this many chats are rate limited and none accepts a message, the whole app pauses. */
const FLOODS_MAX = 3

/** Sends waiting messages at least once: a message is deleted when its outcome is written. */
export function createSending(deps: Deps, app: ChatApp): Loop {
  const { db, runtime, log, lease, chats } = deps
  const { clock, random } = runtime
  const { limits, name } = app
  const take = createBucket(clock, limits.perSecond)
  const inHand = new Set<string>()
  const underWay = new Set<Promise<void>>()
  let unwritten: Outcome[] = []
  const apart = createApart({ db, clock, log }, { loop: `chat.send.${name}`, kind: 'chat' })
  /** Chats that were rate limited since the last accepted message. */
  const floods = new Set<string>()
  let silentUntilMs = 0

  async function speak({ address, ids, texts, failures }: DueRow): Promise<void> {
    const count = fitting(texts, limits.length)
    const text = texts.slice(0, count).join('\n\n').slice(0, limits.length)
    const result = count > 0 ? await app.sendMessage(address, text) : ({ kind: 'sent' } as const)
    if (result.kind === 'refused' || result.kind === 'trouble') {
      log.warn('chat_message_not_sent', { name, state: result.kind, reason: result.reason })
    }
    notice(address, result)
    await write({ address, ids: ids.slice(0, count), result, failures })
  }

  function notice(address: string, result: SendResult) {
    if (result.kind === 'sent') floods.clear()
    if (result.kind !== 'later') return
    floods.add(address)
    if (floods.size >= FLOODS_MAX) silentUntilMs = clock.elapsedMs() + result.afterMs
  }

  /** Keeps an outcome that cannot be written, and writes it before the next message is sent. */
  async function write(outcome: Outcome): Promise<void> {
    const { address } = outcome
    try {
      const isWritten = await apart.alone(address, () => record(outcome).then(() => true))
      if (isWritten) inHand.delete(address)
      else unwritten.push(outcome)
    } catch (error) {
      unwritten.push(outcome)
      log.error('chat_outcome_not_written', { name, error })
    }
  }

  async function record({ address, ids, result, failures }: Outcome): Promise<void> {
    await db.transaction(async (tx) => {
      if (result.kind === 'gone') return chats.unlink(tx, { app: name, address })
      const isOver = result.kind === 'sent' || result.kind === 'refused'
      if (isOver) await tx.query(deleteMessages, [ids])
      await tx.query(lockConversation, [name, address])
      const failed = result.kind === 'trouble' ? failures + 1 : 0
      await tx.query(restConversation, [name, address, restMs(result, failures) / 1_000, failed])
    })
  }

  function restMs(result: SendResult, failures: number): number {
    if (result.kind === 'later') return Math.max(result.afterMs, limits.pauseMs)
    if (result.kind !== 'trouble') return limits.pauseMs
    const pause = Math.min(RETRY_MS * 2 ** Math.min(failures, 10), RETRY_MS_MAX)
    return pause * (0.8 + 0.4 * random.fraction())
  }

  async function flush(): Promise<void> {
    const again = unwritten
    unwritten = []
    for (const outcome of again) await write(outcome)
  }

  async function work(): Promise<number> {
    await flush()
    // An outcome that is put aside concerns one chat; any other means that nothing can be written.
    const aside = new Set(apart.waiting())
    const isBroken = unwritten.some(({ address }) => !aside.has(address))
    if (!lease.isOurs(name) || isBroken || clock.elapsedMs() < silentUntilMs) return 0
    const room = take.available()
    if (room === 0) return 0
    const due = await db.query(readDue, [name, [...inHand], room, JOINED_MAX])
    take.use(due.length)
    for (const row of due) {
      inHand.add(row.address)
      const spoken = speak(row).finally(() => underWay.delete(spoken))
      underWay.add(spoken)
    }
    return 0
  }

  async function end(): Promise<void> {
    await loop.stop()
    await within(DRAIN_MS, Promise.allSettled(underWay), [])
    app.close()
    await Promise.allSettled(underWay)
    await flush()
  }

  const loop = createLoop({
    name: `chat.send.${name}`,
    everyMs: POLL_MS,
    due: CHATS_TO_SEND,
    log,
    work,
  })
  let ended: Promise<void> | undefined
  return {
    ...loop,
    stop() {
      ended ??= end()
      return ended
    },
  }
}

/** How many of the texts go into one message; the first always does. */
function fitting(texts: string[], length: number): number {
  let total = 0
  const end = texts.findIndex((text, index) => {
    total += text.length + 2
    return index > 0 && total > length
  })
  return end < 0 ? texts.length : end
}

function createBucket(clock: Clock, perSecond: number) {
  let left = BURST
  let atMs = clock.elapsedMs()
  return {
    available() {
      const now = clock.elapsedMs()
      left = Math.min(BURST, left + ((now - atMs) * perSecond) / 1_000)
      atMs = now
      return Math.floor(left)
    },
    use(count: number) {
      left -= count
    },
  }
}
