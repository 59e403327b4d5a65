import type { Db } from '../db/index.ts'
import { createAllowance, createLoop, type Doors, type Log, type Loop } from '../kernel/index.ts'
import type { ChatApp, Word } from './app.ts'
import type { Chats } from './chats.ts'
import type { Duty } from './duty.ts'
import { queueMessages } from './queue.ts'
import { readHeard, setHeard } from './store.ts'
import { replies } from './words.ts'

type Deps = { db: Db; doors: Doors; log: Log; duty: Duty; chats: Chats; onQueued(): void }

const PAUSE_MS = 500
const PAUSE_MS_MAX = 30_000
/** Codes that one chat may try. Beyond them it gets no answer, so that guessing shows nothing. */
const TRIES = { most: 5, windowMs: 600_000 }
const START = /^\/start(?:@\w+)?\s+([A-Za-z0-9]{4,64})\s*$/
const STOP = /^\/stop(?:@\w+)?\s*$/

/**
 * Listens to one app. That a word was heard, what it changed and what is answered are one transaction,
 * so it counts once although the app may repeat it.
 */
export function createHearing(deps: Deps, app: ChatApp): Loop {
  const { db, doors, log, duty, chats } = deps
  const mayTry = createAllowance(doors.clock, TRIES)
  const listen = createPatience(deps, app.name)

  async function answer(word: Word, tx: Parameters<Chats['redeem']>[0]) {
    const code = START.exec(word.text)?.[1]
    if (code !== undefined) {
      return mayTry(word.address) > 0 ? undefined : chats.redeem(tx, app.name, word, code)
    }
    if (!STOP.test(word.text)) return undefined
    await chats.unlink(tx, { app: app.name, address: word.address })
    return replies.stopped
  }

  /** A transaction for each word: it locks one account's chats, and one chat, in that order. */
  async function handle(word: Word): Promise<boolean> {
    return db.transaction(async (tx) => {
      const [ours] = await tx.query(setHeard, [app.name, duty.owner(), word.below])
      // Someone took the app from us while we listened; what was heard is theirs to answer.
      if (!ours) return false
      const text = await answer(word, tx)
      const place = { app: app.name, address: word.address, account: null }
      if (text !== undefined) await queueMessages(tx, doors.ids, [{ ...place, text }])
      return true
    })
  }

  async function work(): Promise<number> {
    if (!duty.isOurs(app.name) || !listen.isTime()) return 0
    const [row] = await db.query(readHeard, [app.name])
    const from = row?.below ?? null
    const heard = await app.hear(from)
    if ('trouble' in heard) {
      listen.later(heard.trouble)
      return 0
    }
    listen.well()
    if (heard.below === from) return 0
    for (const word of heard.words) if (!(await handle(word))) return 0
    await db.query(setHeard, [app.name, duty.owner(), heard.below])
    if (heard.words.length > 0) deps.onQueued()
    return heard.words.length
  }

  return createLoop({ name: `chat.hear.${app.name}`, everyMs: PAUSE_MS, log, work })
}

/** An app that cannot be reached is asked again after growing pauses. */
function createPatience({ doors, log }: Pick<Deps, 'doors' | 'log'>, name: string) {
  let failures = 0
  let untilMs = 0
  return {
    isTime: () => doors.clock.elapsedMs() >= untilMs,
    well() {
      failures = 0
    },
    later(reason: string) {
      failures += 1
      const pause = Math.min(PAUSE_MS * 2 ** Math.min(failures, 10), PAUSE_MS_MAX)
      untilMs = doors.clock.elapsedMs() + pause
      if (reason !== 'closing') log.warn('chat_not_heard', { name, reason, failures })
    },
  }
}
