import type { Api, GrammyError } from 'grammy'
import { within } from '../kernel/index.ts'
import type { ChatApp, SendResult, Updates } from './app.ts'

/** Below Telegram's limits (30 a second, 1 a second in a chat). */
const LIMITS = { perSecond: 25, pauseMs: 1_050, length: 4_000 }
const SEND_MS = 10_000
const RECEIVE_SECONDS = 10
const INVITE_MS = 2_000
/** Timeout of the library, a little longer than Telegram's long poll. */
const CALL_SECONDS = RECEIVE_SECONDS + 5
const ANSWER_BYTES_MAX = 1_048_576
const UPDATES_MAX = 50

export type TelegramAccess = { url: string; token: string }

/** Telegram's Bot API, through grammY. The token is part of every URL, so no URL and no error of the library is logged. */
export function createTelegram({ url, token }: TelegramAccess): ChatApp {
  const ending = new AbortController()
  let opened: Promise<Library> | undefined
  let botName: string | undefined

  /** Loaded at first use: a service without chats should not need its memory. */
  function library(): Promise<Library> {
    opened ??= import('grammy').then(({ Api }) => {
      const options = {
        apiRoot: url.replace(/\/$/, ''),
        timeoutSeconds: CALL_SECONDS,
        // A redirect would send the token to another host.
        baseFetchConfig: { redirect: 'error' as const, size: ANSWER_BYTES_MAX },
      }
      return { api: new Api(token, options) }
    })
    return opened
  }

  return {
    name: 'telegram',
    limits: LIMITS,
    async sendMessage(address, text) {
      const { api } = await library()
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(SEND_MS)])
      try {
        // No parse_mode: names and titles are plain text.
        const plain = { link_preview_options: { is_disabled: true } }
        await api.sendMessage(address, text, plain, signal as Signal)
        return { kind: 'sent' }
      } catch (error) {
        return judge(error)
      }
    },
    async receiveUpdates(from) {
      const { api } = await library()
      const asked = { timeout: RECEIVE_SECONDS, limit: UPDATES_MAX, allowed_updates: ['message'] }
      const offset = from === null ? {} : { offset: Number(from) }
      try {
        const updates = await api.raw.getUpdates(
          { ...asked, ...offset } as Parameters<Api['raw']['getUpdates']>[0],
          ending.signal as Signal,
        )
        return updatesOf(updates)
      } catch (error) {
        return { trouble: ending.signal.aborted ? 'closing' : reasonOf(error) }
      }
    },
    async invite(code) {
      const command = `/start ${code}`
      if (botName === undefined) {
        const { api } = await library()
        const me = api.getMe(ending.signal as Signal).catch(() => undefined)
        botName = (await within(INVITE_MS, me, undefined))?.username
      }
      return { command, url: botName ? `https://t.me/${botName}?start=${code}` : '' }
    },
    close: () => ending.abort(),
  }
}

type Library = { api: Api }
/** The library's types are of an older AbortSignal; at run time it takes ours. */
type Signal = Parameters<Api['getMe']>[0]
type Batch = Awaited<ReturnType<Api['getUpdates']>>

function updatesOf(batch: Batch): Updates {
  const updates = batch.flatMap(({ message, update_id }) => {
    if (message?.text === undefined) return []
    const { id, title, first_name, username } = message.chat
    const name = title ?? first_name ?? username ?? ''
    const below = String(update_id + 1)
    return [{ address: String(id), name, text: message.text, below }]
  })
  const last = batch.at(-1)
  // Null after the last update: after a quiet week Telegram restarts its numbers.
  return { updates, below: last ? String(last.update_id + 1) : null }
}

function judge(error: unknown): SendResult {
  if (!isAnswer(error)) return { kind: 'trouble', reason: reasonOf(error) }
  const { error_code: code, description, parameters } = error
  if (code === 429) return { kind: 'later', afterMs: (parameters.retry_after ?? 1) * 1_000 }
  if (code === 403) return { kind: 'gone' }
  const isGone = /chat not found|upgraded to a supergroup|user is deactivated/i.test(description)
  if (code === 400 && isGone) return { kind: 'gone' }
  const reason = reasonOf(error)
  return code === 400 ? { kind: 'refused', reason } : { kind: 'trouble', reason }
}

function isAnswer(error: unknown): error is GrammyError {
  return error instanceof Error && error.name === 'GrammyError'
}

/** Our own text: the library's error may quote the URL, which contains the token. */
function reasonOf(error: unknown): string {
  return isAnswer(error) ? `answered ${error.error_code}` : 'no answer'
}
