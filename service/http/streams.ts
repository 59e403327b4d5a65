import { type EventStream, refuse } from '@ergon/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import { isLoopback, networkOf } from './addressLimit.ts'
import { sendRefusal } from './answer.ts'

/** `holder`: the key of the limit; by default the client's address. */
type StreamOptions = {
  holder?: string
  msMax?: number
  serialize?: (message: unknown) => string
}

export type Streams = {
  /** Sends server-sent events until the client leaves, the time is over or the server closes. */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    stream: EventStream,
    options?: StreamOptions,
  ): FastifyReply | undefined
  /** Sends keep-alives through proxies, and ends streams that have reached their time. */
  loop: Loop
}

/** All streams, and those without a key or a session: pages of any origin open them, and leave room. */
const STREAMS_MAX = { all: 2_000, public: 1_500 }
/** Enough for a small office with several tabs each. */
const STREAMS_PER_HOLDER = 20
/** Life of a stream; browsers reconnect, and vanished clients free their place. */
const STREAM_MS_MAX = 10 * 60_000
const BEAT_MS = 5_000
/** Most unread bytes before a client is disconnected. */
const UNREAD_BYTES_MAX = 64 * 1024
const RETRY_SECONDS = '5'

type Caller = { isExempt: boolean; isPublic: boolean }
type Open = { isPublic: boolean; untilMs: number; write(text: string): void; end(): void }

export function createStreams(
  server: FastifyInstance,
  deps: { clock: Clock; log: Log; exemptLoopback: boolean; max?: typeof STREAMS_MAX },
): Streams {
  const { clock, log, exemptLoopback, max = STREAMS_MAX } = deps
  const streams = new Set<Open>()
  const isFull = (isPublic: boolean) =>
    streams.size >= max.all ||
    (isPublic && [...streams].filter((one) => one.isPublic).length >= max.public)
  const byHolder = new Map<string, number>()
  let closing = false

  // End the streams: the server's close waits for all answers.
  server.addHook('preClose', async () => {
    closing = true
    for (const stream of streams) stream.end()
  })

  function refusalFor(holder: string, { isExempt, isPublic }: Caller) {
    if (closing || isFull(isPublic)) return refuse('overloaded')
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
      const isPublic = options.holder === undefined
      const isExempt = exemptLoopback && isLoopback(request.ip)
      const refusal = refusalFor(holder, { isExempt, isPublic })
      if (refusal) return sendRefusal(reply.header('retry-after', RETRY_SECONDS), refusal)
      reply.headers({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        // Stops nginx from buffering the stream.
        'x-accel-buffering': 'no',
        // Without keep-alive: an idle connection would delay the server's close.
        connection: 'close',
      })
      // HEAD gets headers only.
      if (request.method === 'HEAD') return reply.send()
      const { raw } = reply
      reply.hijack()
      raw.writeHead(200, reply.getHeaders() as Record<string, string>)
      const write = (text: string) => {
        if (raw.writableLength > UNREAD_BYTES_MAX) raw.destroy()
        else raw.write(text)
      }
      const end = () => raw.end()
      const stream: Open = { isPublic, untilMs: clock.elapsedMs() + msMax, write, end }
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
