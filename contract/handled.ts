import type { Refusal } from './refusals.ts'
import type { Call, Reply, Route } from './route.ts'

/**
 * Who is calling: the account, the trace that goes from the request to the webhook, through which
 * mount the call came, and from which client address; that may be a proxy's, and is for counting only.
 */
export type Caller = {
  account: string
  trace: string
  source: 'api' | 'workspace'
  address: string
}

/** A route with the function that answers it. Rooms export lists of these; the server mounts them. */
export type HandledRoute = {
  route: Route
  run(caller: Caller, call: never): unknown
}

/** An answer whose bytes were decided earlier: a replayed purchase is sent exactly as it was stored. */
export class Verbatim {
  readonly body: string
  readonly headers: Record<string, string | string[]> | undefined
  constructor(body: string, headers?: Record<string, string | string[]>) {
    this.body = body
    this.headers = headers
  }
}

/** Several answers in one: each has the status and the bytes that route `of` would have given it alone. */
export class Answers<R extends Route = Route> {
  readonly of: R
  readonly each: readonly (Reply<R> | Verbatim | Refusal)[]
  constructor(of: R, each: readonly (Reply<R> | Verbatim | Refusal)[]) {
    this.of = of
    this.each = each
  }
}

/** An answer that goes on: `follow` gets what sends a message, and gives back what ends it. */
export class EventStream<Message = unknown> {
  readonly follow: (send: (message: Message) => void) => () => void
  constructor(follow: (send: (message: Message) => void) => () => void) {
    this.follow = follow
  }
}

type Answer<R extends Route> = R['reply'] extends { stream: true }
  ? EventStream<Reply<R>> | Refusal
  : Reply<R> | Refusal | Verbatim | Answers

export function handle<const R extends Route>(
  route: R,
  run: (caller: Caller, call: Call<R>) => Answer<R> | Promise<Answer<R>>,
): HandledRoute {
  return { route, run: run as HandledRoute['run'] }
}
