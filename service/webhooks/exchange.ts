import type { Dispatcher } from 'undici'
import { within } from '../kernel/index.ts'

export type Message = { headers: Record<string, string>; body: string }
export type Answer = { status: number; retryAfter: string | null }

/** The exchange as a whole took longer than it may. */
export class TooLate extends Error {}

const EXCHANGE_MS = 5_000
const RESPONSE_BYTES_MAX = 16 * 1024

/**
 * One POST and its whole answer, or why there was none. What a receiver says is of no use to us; it
 * is read so that the connection can be used again, and beyond a little the connection is cut. Below
 * undici's `request` on purpose: a stream and a signal for every exchange cost as much as the
 * exchange itself.
 */
export async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  message: Message,
): Promise<Answer> {
  const open = begin(dispatcher, url, message)
  const answer = await within(EXCHANGE_MS, open.answer, undefined)
  if (answer) return answer
  open.giveUp()
  throw new TooLate('no whole answer in time')
}

function begin(dispatcher: Dispatcher, url: URL, message: Message) {
  let controller: Dispatcher.DispatchController | undefined
  let isGivenUp = false
  let bytes = 0
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const answer: Answer = { status: 0, retryAfter: null }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      controller = given
      if (isGivenUp) given.abort(new TooLate('given up before it began'))
    },
    onResponseStart(_controller, status, headers) {
      // 1xx: the answer itself comes later.
      if (status < 200) return
      const header = headers['retry-after']
      answer.status = status
      answer.retryAfter = typeof header === 'string' ? header : null
    },
    onResponseData(given, chunk) {
      bytes += chunk.length
      if (bytes <= RESPONSE_BYTES_MAX) return
      resolve(answer)
      given.abort(new Error('more than is read'))
    },
    onResponseEnd: () => resolve(answer),
    onResponseError: (_controller, error) => reject(error),
  }
  const path = url.pathname + url.search
  dispatcher.dispatch({ ...message, origin: url.origin, path, method: 'POST' }, handler)
  return {
    answer: promise,
    giveUp() {
      isGivenUp = true
      // Nobody waits for it any more.
      promise.catch(() => {})
      controller?.abort(new TooLate('given up'))
    },
  }
}
