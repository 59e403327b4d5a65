import type { Dispatcher } from 'undici'
import { createDeadlines, type Deadlines } from '../kernel/index.ts'

export type Target = { dispatcher: Dispatcher; origin: string; path: string }
export type Message = { headers: Record<string, string>; body: string }
/** Result of an attempt. Without a complete answer `status` is null and `error` says why. */
export type Exchange = {
  status: number | null
  error: string | null
  retryAfter: string | null
  /** The beginning of the body, unless the answer is a success. */
  answer?: string
}
/** Never rejects. */
export type Exchanges = (target: Target, message: Message) => Promise<Exchange>

/** The exchange exceeded its timeout. */
export class TooLate extends Error {}

const EXCHANGE_MS = 5_000
const RESPONSE_BYTES_MAX = 16 * 1024
const ANSWER_MAX = 500

/**
 * One POST and its answer, or the reason for a missing one. The body is read to reuse the
 * connection, and its beginning is kept for the owner; beyond a limit the connection is closed. It uses undici's dispatch instead of `request`:
 * a stream, a signal, a timer and promises for each exchange cost as much as the exchange itself.
 */
export function createExchanges(wordFor: (error: unknown) => string): Exchanges {
  const deadlines = createDeadlines<Post>(EXCHANGE_MS, (post) => post.giveUp())
  return ({ dispatcher, origin, path }, { headers, body }) => {
    const post = new Post(deadlines, wordFor)
    try {
      dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, post)
    } catch (error) {
      post.fail(error)
    }
    return post.outcome
  }
}

/** A class: one object per exchange instead of one closure per callback. */
class Post implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<Exchange>
  readonly #deadlines: Deadlines<Post>
  readonly #wordFor: (error: unknown) => string
  #resolve!: (exchange: Exchange) => void
  #controller: Dispatcher.DispatchController | undefined
  #isGivenUp = false
  #status = 0
  #retryAfter: string | null = null
  #bytes = 0
  #answer = ''

  constructor(deadlines: Deadlines<Post>, wordFor: (error: unknown) => string) {
    this.#deadlines = deadlines
    this.#wordFor = wordFor
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve
    })
    deadlines.begin(this)
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#isGivenUp) controller.abort(new TooLate('given up before it began'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ) {
    // 1xx: the answer itself comes later.
    if (status < 200) return
    const header = headers['retry-after']
    this.#status = status
    this.#retryAfter = typeof header === 'string' ? header : null
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#status >= 300 && this.#bytes < ANSWER_MAX) this.#answer += chunk.toString()
    this.#bytes += chunk.length
    if (this.#bytes <= RESPONSE_BYTES_MAX) return
    this.onResponseEnd()
    controller.abort(new Error('more than is read'))
  }

  onResponseEnd() {
    // PostgreSQL stores no NUL.
    const answer = this.#answer.replaceAll('\0', '').slice(0, ANSWER_MAX)
    const answered = { status: this.#status, error: null, retryAfter: this.#retryAfter }
    this.#settle(answer ? { ...answered, answer: answer.toWellFormed() } : answered)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    this.fail(error)
  }

  giveUp() {
    const error = new TooLate('no whole answer in time')
    this.#isGivenUp = true
    this.fail(error)
    this.#controller?.abort(error)
  }

  fail(error: unknown) {
    this.#settle({ status: null, error: this.#wordFor(error), retryAfter: null })
  }

  /** The first result counts: closing the connection also reports an error. */
  #settle(exchange: Exchange) {
    this.#deadlines.end(this)
    this.#resolve(exchange)
  }
}
