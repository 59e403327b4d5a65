import { type EventStream, refuse } from '@ergon/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { isLoopback, networkOf } from './addressLimit.ts'
import { sendRefusal } from './answer.ts'

/** `holder`: who is counted; without one it is the client's address. */
type StreamOptions = {
  holder?: string
  msMax?: number
  serialize?: (message: unknown) => string
}

export type Streams = {
  /** Answers with server-sent events until the client leaves, the time is over or we close. */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    stream: EventStream,
    options?: StreamOptions,
  ): FastifyReply | undefined
  /** Keeps proxies from closing quiet streams, and ends those that have been open long enough. */
  loop: Loop
}

const STREAMS_MAX = 2_000
/** A household or a small office, and several tabs of each. */
const STREAMS_PER_HOLDER = 20
/** Then the browser connects again: a client that is gone without a word holds its place no longer. */
const STREAM_MS_MAX = 10 * 60_000
const BEAT_MS = 5_000
/** What a client may leave unread before it is cut off. */
const UNREAD_BYTES_MAX = 64 * 1024
const RETRY_SECONDS = '5'

type Open = { untilMs: number; write(text: string): void; end(): void }

export function createStreams(
  server: FastifyInstance,
  deps: { clock: Clock; log: Log; exemptLoopback: boolean },
): Streams {
  const { clock, log, exemptLoopback } = deps
  const streams = new Set<Open>()
  const byHolder = new Map<string, number>()
  let closing = false

  // A stream never ends by itself, and a server closes when its answers have ended.
  server.addHook('preClose', async () => {
    closing = true
    for (const stream of streams) stream.end()
  })

  function refusalFor(holder: string, isExempt: boolean) {
    if (closing || streams.size >= STREAMS_MAX) return refuse('overloaded')
    const held = byHolder.get(holder) ?? 0
    return held >= STREAMS_PER_HOLDER && !isExempt ? refuse('rate_limited') : undefined
  }

  function count(holder: string, change: 1 | -1) {
    const held = (byHolder.get(holder) ?? 0) + change
    if (held > 0) byHolder.set(holder, held)
    else byHolder.delete(holder)
  }

  async function beat(): Promise<number> {
    const now = clock.elapsedMs()
    for (const stream of streams) {
      if (stream.untilMs <= now) stream.end()
      else stream.write(':\n\n')
    }
    return 0
  }

  return {
    loop: createLoop({ name: 'http.streams', everyMs: BEAT_MS, log, work: beat }),
    open(request, reply, { follow }, options = {}) {
      const { holder = networkOf(request.ip), msMax = STREAM_MS_MAX } = options
      const { serialize = JSON.stringify } = options
      const refusal = refusalFor(holder, exemptLoopback && isLoopback(request.ip))
      if (refusal) return sendRefusal(reply.header('retry-after', RETRY_SECONDS), refusal)
      reply.headers({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        // Proxies of this kind hold answers back until they are whole.
        'x-accel-buffering': 'no',
        // Kept alive after its stream, a connection would hold up our closing.
        connection: 'close',
      })
      // There is nothing to follow for somebody who wants the headers alone.
      if (request.method === 'HEAD') return reply.send()
      const { raw } = reply
      reply.hijack()
      raw.writeHead(200, reply.getHeaders() as Record<string, string>)
      const write = (text: string) => {
        if (raw.writableLength > UNREAD_BYTES_MAX) raw.destroy()
        else raw.write(text)
      }
      const end = () => raw.end()
      const stream: Open = { untilMs: clock.elapsedMs() + msMax, write, end }
      streams.add(stream)
      count(holder, 1)
      write('retry: 2000\n\n')
      const stop = follow((message) => write(`data: ${serialize(message)}\n\n`))
      raw.once('close', () => {
        stop()
        streams.delete(stream)
        count(holder, -1)
      })
      return undefined
    },
  }
}
