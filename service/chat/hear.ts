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
/** Codes that one chat may try. Beyond them it gets no answer, so that guessing shows nothing. */
const TRIES = { most: 5, windowMs: 600_000 }
const START = /^\/start(?:@\w+)?\s+([A-Za-z0-9]{4,64})\s*$/
const STOP = /^\/stop(?:@\w+)?\s*$/

/** Someone took the app from us while we listened; what was heard is theirs. */
class NotOurs extends Error {}

/**
 * Listens to one app. What was heard, what it changed and what is answered are one transaction, so a
 * word counts once although the app may repeat it.
 */
export function createHearing(deps: Deps, app: ChatApp): Loop {
  const { db, doors, log, duty, chats } = deps
  const mayTry = createAllowance(doors.clock, TRIES)

  async function answer(word: Word, tx: Parameters<Chats['redeem']>[0]) {
    const code = START.exec(word.text)?.[1]
    if (code !== undefined) {
      return mayTry(word.address) > 0 ? undefined : chats.redeem(tx, app.name, word, code)
    }
    if (!STOP.test(word.text)) return undefined
    await chats.unlink(tx, { app: app.name, address: word.address })
    return replies.stopped
  }

  async function handle(words: Word[], below: string | null): Promise<void> {
    await db.transaction(async (tx) => {
      const [ours] = await tx.query(setHeard, [app.name, duty.owner(), below])
      if (!ours) throw new NotOurs()
      for (const word of words) {
        const text = await answer(word, tx)
        const { address } = word
        const reply = { app: app.name, address, account: null }
        if (text !== undefined) await queueMessages(tx, doors.ids, [{ ...reply, text }])
      }
    })
    if (words.length > 0) deps.onQueued()
  }

  async function work(): Promise<number> {
    if (!duty.isOurs(app.name)) return 0
    const [row] = await db.query(readHeard, [app.name])
    const from = row?.below ?? null
    const heard = await app.hear(from)
    if ('trouble' in heard) {
      if (heard.trouble !== 'closing')
        log.warn('chat_not_heard', { name: app.name, reason: heard.trouble })
      return 0
    }
    if (heard.below === from) return 0
    try {
      await handle(heard.words, heard.below)
    } catch (error) {
      if (!(error instanceof NotOurs)) throw error
    }
    return heard.words.length
  }

  return createLoop({ name: `chat.hear.${app.name}`, everyMs: PAUSE_MS, log, work })
}
