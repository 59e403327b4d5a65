import type { Refusal } from './refusals.ts'
import type { Call, Reply, Route } from './route.ts'

/**
 * Who is calling: the account, the trace that goes from the request to the webhook, and through which
 * mount the call came.
 */
export type Caller = { account: string; trace: string; source: 'api' | 'workspace' }

/** A route with the function that answers it. Rooms export lists of these; the server mounts them. */
export type HandledRoute = {
  route: Route
  run(caller: Caller, call: never): unknown
}

/** An answer whose bytes were decided earlier: a replayed purchase is sent exactly as it was stored. */
export class Verbatim {
  readonly body: string
  readonly headers: Record<string, string | string[]>
  constructor(body: string, headers: Record<string, string | string[]> = {}) {
    this.body = body
    this.headers = headers
  }
}

type Answer<R extends Route> = Reply<R> | Refusal | Verbatim

export function handle<const R extends Route>(
  route: R,
  run: (caller: Caller, call: Call<R>) => Answer<R> | Promise<Answer<R>>,
): HandledRoute {
  return { route, run: run as HandledRoute['run'] }
}
