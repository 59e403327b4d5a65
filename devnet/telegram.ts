import type { ServerResponse } from 'node:http'
import { send } from './socket.ts'

/** How messages to a chat are answered; `flood` asks for patience, `hang` never answers. */
export type ChatAnswer = 'ok' | 'blocked' | 'flood' | 'hang'
export type ChatMessage = { sent_at: string; text: string }
type Chat = { name: string; answer: ChatAnswer; messages: ChatMessage[]; refused: number }
type Update = { update_id: number; message: object }
type Payload = Record<string, unknown>
type Reply = { status: number; json: object }

/** Published, like the keys of the devnet. */
export const telegramToken = '1000000:sandbox-telegram-token'
const RETRY_AFTER_SECONDS = 2
const WAIT_SECONDS_MAX = 50
/** Beyond these the oldest go: a forgotten chat must not eat the machine. */
const CHATS_MAX = 1_000
const MESSAGES_MAX = 5_000

/** Telegram's Bot API as far as our bot uses it: getMe, getUpdates (also waiting) and sendMessage. */
export class TelegramStandIn {
  readonly #chats = new Map<string, Chat>()
  #updates: Update[] = []
  #nextUpdate = 1
  /** The pending request for updates. A second request ends the first, as at Telegram. */
  #giveUpdates: ((reply: Reply) => void) | undefined

  /** Sends a message to the bot. */
  say(chat: string, text: string): void {
    const id = Number(chat)
    const type = id < 0 ? 'group' : 'private'
    const { name } = this.#chat(chat)
    const named = type === 'group' ? { title: name } : { first_name: name }
    const date = Math.floor(Date.now() / 1_000)
    const message_id = this.#nextUpdate
    const message = { message_id, date, chat: { id, type, ...named }, text }
    this.#updates.push({ update_id: this.#nextUpdate++, message })
    this.#giveUpdates?.(ok(this.#updates))
  }

  change(chat: string, { name, answer }: { name?: string; answer?: ChatAnswer }): void {
    const known = this.#chat(chat)
    if (name !== undefined) known.name = name
    if (answer !== undefined) known.answer = answer
  }

  messages(chat: string): ChatMessage[] {
    return this.#chats.get(chat)?.messages ?? []
  }

  /** How often a chat did not take a message. */
  refusals(chat: string): number {
    return this.#chats.get(chat)?.refused ?? 0
  }

  /** One call of the Bot API; `path` is what follows /telegram. */
  async answer(path: string, body: string, response: ServerResponse): Promise<void> {
    const reply = await this.#reply(path, body, response)
    // Never answered: the socket stays open until the bot gives up.
    if (reply && !response.destroyed) send(response, reply.status, JSON.stringify(reply.json))
  }

  #reply(path: string, body: string, response: ServerResponse): Promise<Reply> | Reply | undefined {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? []
    if (token !== telegramToken) return failure(401, 'Unauthorized')
    const payload = (body ? JSON.parse(body) : {}) as Payload
    if (method === 'getMe') return ok({ id: 1_000_000, is_bot: true, username: 'ergon_bot' })
    if (method === 'sendMessage') return this.#send(payload)
    if (method === 'getUpdates') return this.#listen(payload, response)
    return failure(404, 'Not Found')
  }

  #send({ chat_id, text, parse_mode }: Payload): Reply | undefined {
    const id = String(chat_id)
    const chat = this.#chats.get(id)
    if (!chat) return failure(400, 'Bad Request: chat not found')
    if (typeof text !== 'string' || text === '' || text.length > 4_096 || parse_mode) {
      return failure(400, 'Bad Request: message text is not taken')
    }
    if (chat.answer !== 'ok') chat.refused += 1
    if (chat.answer === 'hang') return undefined
    if (chat.answer === 'blocked') return failure(403, 'Forbidden: bot was blocked by the user')
    if (chat.answer === 'flood') {
      const parameters = { retry_after: RETRY_AFTER_SECONDS }
      return failure(429, `Too Many Requests: retry after ${RETRY_AFTER_SECONDS}`, { parameters })
    }
    chat.messages.push({ sent_at: new Date().toISOString(), text })
    if (chat.messages.length > MESSAGES_MAX) chat.messages.shift()
    return ok({ message_id: chat.messages.length, chat: { id: Number(id) }, text })
  }

  #listen({ offset = 0, timeout = 0 }: Payload, response: ServerResponse): Promise<Reply> | Reply {
    this.#giveUpdates?.(failure(409, 'Conflict: terminated by other getUpdates request'))
    this.#updates = this.#updates.filter(({ update_id }) => update_id >= Number(offset))
    const seconds = Math.min(Number(timeout), WAIT_SECONDS_MAX)
    if (this.#updates.length > 0 || seconds === 0) return ok(this.#updates)
    return new Promise((resolve) => {
      const give = (reply: Reply) => {
        clearTimeout(timer)
        if (this.#giveUpdates === give) this.#giveUpdates = undefined
        resolve(reply)
      }
      const timer = setTimeout(() => give(ok([])), seconds * 1_000)
      response.once('close', () => give(ok([])))
      this.#giveUpdates = give
    })
  }

  #chat(id: string): Chat {
    const known = this.#chats.get(id)
    if (known) return known
    if (this.#chats.size >= CHATS_MAX) this.#chats.delete(this.#chats.keys().next().value!)
    const made: Chat = { name: `chat ${id}`, answer: 'ok', messages: [], refused: 0 }
    this.#chats.set(id, made)
    return made
  }
}

const ok = (result: unknown): Reply => ({ status: 200, json: { ok: true, result } })
const failure = (error_code: number, description: string, more: object = {}): Reply => ({
  status: error_code,
  json: { ok: false, error_code, description, ...more },
})

const ANSWERS: readonly ChatAnswer[] = ['ok', 'blocked', 'flood', 'hang']

/** What the control endpoints answer, or undefined where the path is not one of theirs. */
export function controlChat(
  telegram: TelegramStandIn,
  { method, path, body }: { method: string; path: string; body: string },
): { status: number; json: unknown } | undefined {
  const chat = /^\/control\/chat\/(-?\d{1,15})$/.exec(path)?.[1]
  if (chat === undefined) return undefined
  if (method !== 'POST') return { status: 200, json: { messages: telegram.messages(chat) } }
  const asked = JSON.parse(body) as { text?: string; name?: string; answer?: ChatAnswer }
  if (asked.answer !== undefined && !ANSWERS.includes(asked.answer)) {
    return { status: 400, json: { error: `answer may be ${ANSWERS.join(', ')}` } }
  }
  telegram.change(chat, asked)
  if (asked.text !== undefined) telegram.say(chat, asked.text)
  return { status: 200, json: { chat } }
}
