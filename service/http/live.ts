import type { FastifyInstance } from 'fastify'
import type { Clock } from '../kernel/index.ts'
import type { Guard } from './mount.ts'
import { refuseOtherMethods } from './mount.ts'

type Follow = (account: string, send: (change: unknown) => void) => () => void

/** Then the browser connects again and is asked for its session again: a dead one ends with this. */
const STREAM_MS_MAX = 60_000
const LOOK_MS = 5_000

/** One server-sent stream per tab. Messages name what changed; the page reads it from the API. */
export function mountLive(
  app: FastifyInstance,
  deps: { path: string; guard: Guard; follow: Follow; clock: Clock },
) {
  const { path, guard, follow, clock } = deps
  const open = new Set<{ end(): void; beat(): void; until: number }>()

  app.get(path, {
    async onRequest(request, reply) {
      request.route = path
      const account = await guard(request, reply)
      if (account !== undefined) request.account = account
      else return reply
    },
    handler(request, reply) {
      reply.hijack()
      const { raw } = reply
      raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      raw.write('retry: 1000\n\n')
      const stop = follow(request.account, (change) => {
        raw.write(`data: ${JSON.stringify(change)}\n\n`)
      })
      const stream = {
        until: clock.elapsedMs() + STREAM_MS_MAX,
        end: () => raw.end(),
        beat: () => raw.write(':\n\n'),
      }
      open.add(stream)
      raw.on('close', () => {
        stop()
        open.delete(stream)
      })
    },
  })
  refuseOtherMethods(app, path, ['GET'])
  // A stream never ends by itself, and a server closes when its answers have ended.
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end()
  })
  return {
    everyMs: LOOK_MS,
    async work(): Promise<number> {
      const now = clock.elapsedMs()
      for (const stream of open) {
        if (stream.until <= now) stream.end()
        else stream.beat()
      }
      return 0
    },
  }
}
