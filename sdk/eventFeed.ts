import type { WebhookEvent } from './events.ts'
import { isPassing, sleep } from './transport.ts'

/** One page of events, and the place after them. */
export type EventPage = { events: WebhookEvent[]; has_more: boolean; next_cursor: string }

export type FeedOptions = {
  /** Where to go on: the `cursor` of an earlier feed. Without it: the oldest event, 30 days back. */
  cursor?: string | undefined
  /** How long to wait when there is nothing new. Default 2.5 s. */
  pollMs?: number
  signal?: AbortSignal | undefined
}

type Load = (query: { cursor: string | undefined; limit: number }) => Promise<EventPage>

const POLL_MS = 2_500
const LIMIT = 100

/**
 * Every event once, in order, for ever: `for await (const event of ergon.followEvents({ cursor }))`. Store
 * `feed.cursor` after handling an event and start there the next time. It moves when a whole page was handled, so
 * after a crash some events come again: keep the ids you have handled.
 */
export class EventFeed implements AsyncIterable<WebhookEvent> {
  readonly #load: Load
  readonly #options: FeedOptions
  #cursor: string | undefined

  constructor(load: Load, options: FeedOptions) {
    this.#load = load
    this.#options = options
    this.#cursor = options.cursor
  }

  /** The place after all events that were handled; undefined before the first answer. */
  get cursor(): string | undefined {
    return this.#cursor
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WebhookEvent, void, void> {
    const { pollMs = POLL_MS, signal } = this.#options
    for (;;) {
      signal?.throwIfAborted()
      const page = await this.#next()
      const last = page?.events.at(-1)
      for (const event of page?.events ?? []) {
        // Moved before the last event is given out: after handling it everything of the page was handled.
        if (event === last) this.#cursor = page!.next_cursor
        yield event
      }
      if (page && page.events.length === 0) this.#cursor = page.next_cursor
      if (!page?.has_more) await sleep(pollMs, signal)
    }
  }

  /** Undefined while the service cannot be reached: the feed goes on when it can. */
  async #next(): Promise<EventPage | undefined> {
    try {
      return await this.#load({ cursor: this.#cursor, limit: LIMIT })
    } catch (error) {
      if (isPassing(error)) return undefined
      throw error
    }
  }
}
