import { EventStream } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import type { Guard } from './mount.ts'
import type { Streams } from './streams.ts'

type Follow = (account: string, send: (change: unknown) => void) => () => void

/** The browser reconnects after this time, which checks its session again. */
const STREAM_MS_MAX = 60_000

/** One server-sent stream per tab. Messages name what changed; the page reads the data from the API. */
export function mountLive(
  server: FastifyInstance,
  deps: { path: string; guard: Guard; follow: Follow; streams: Streams },
) {
  const { path, guard, follow, streams } = deps
  server.get(path, {
    async onRequest(request, reply) {
      request.route = path
      const account = await guard(request, reply)
      if (account !== undefined) request.account = account
      else return reply
    },
    handler(request, reply) {
      const { account } = request
      const stream = new EventStream((send) => follow(account, send))
      // Limit by account, because users of one office share an address.
      return streams.open(request, reply, stream, { holder: account, msMax: STREAM_MS_MAX })
    },
  })
}
