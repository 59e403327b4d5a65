import type { Dispatcher } from 'undici'
import { createDeadlines, type Deadlines } from '../kernel/index.ts'

export type Target = { dispatcher: Dispatcher; origin: string; path: string }
export type Message = { headers: Record<string, string>; body: string }
/** What an attempt came to. `status` is null when there was no whole answer, and then `error` says why. */
export type Exchange = { status: number | null; error: string | null; retryAfter: string | null }
/** Never rejects. */
export type Exchanges = (target: Target, message: Message) => Promise<Exchange>

/** The exchange as a whole took longer than it may. */
export class TooLate extends Error {}

const EXCHANGE_MS = 5_000
const RESPONSE_BYTES_MAX = 16 * 1024

/**
 * One POST and its whole answer, or in a word why there was none. What a receiver says is of no use to
 * us; it is read so that the connection can be used again, and beyond a little the connection is cut.
 * Below undici's `request` on purpose: a stream, a signal, a timer and a chain of promises for every
 * exchange cost as much as the exchange itself.
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

/** A class, unlike elsewhere: one object for each exchange instead of a closure for each thing it is told. */
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
    this.#bytes += chunk.length
    if (this.#bytes <= RESPONSE_BYTES_MAX) return
    this.onResponseEnd()
    controller.abort(new Error('more than is read'))
  }

  onResponseEnd() {
    this.#settle({ status: this.#status, error: null, retryAfter: this.#retryAfter })
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

  /** The first word counts: a connection that we cut reports that as an error. */
  #settle(exchange: Exchange) {
    this.#deadlines.end(this)
    this.#resolve(exchange)
  }
}
