import type { FastifyInstance } from 'fastify'
import { isUuid, type Runtime } from '../kernel/index.ts'
import type { SpanContext, Traces } from './traces.ts'

/** Requests under way, so that what they cause can be linked to them. */
export type RequestTraces = {
  /** Links the span of a request and a span that it has caused. Undefined: that request is not traced. */
  link(request: string, caused: SpanContext): SpanContext | undefined
}

type Open = SpanContext & { parent: string | undefined; startMs: number; links: SpanContext[] }

/** W3C Trace Context, version 00; the last bit says whether the client records its trace. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const OPEN_MAX = 10_000

/** One span per request, in the client's trace if it sent one. Its hooks come before the server's own. */
export function traceRequests(
  server: FastifyInstance,
  { traces, runtime }: { traces: Traces; runtime: Runtime },
): RequestTraces {
  const { clock, random } = runtime
  const hex = (count: number) => Buffer.from(random.bytes(count)).toString('hex')
  const open = new Map<string, Open>()

  server.addHook('onRequest', (request, _reply, done) => {
    const given = TRACEPARENT.exec(String(request.headers.traceparent ?? ''))
    const isRecorded = given === null || (Number.parseInt(given[3]!, 16) & 1) === 1
    if (isRecorded && open.size < OPEN_MAX) {
      const startMs = clock.now().getTime()
      const trace = given?.[1] ?? hex(16)
      open.set(request.id, { trace, id: hex(8), parent: given?.[2], startMs, links: [] })
    }
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    const { id, account, method, startedMs } = request
    const found = open.get(id)
    open.delete(id)
    if (found) {
      const route = request.route || request.routeOptions.url || 'none'
      const status = reply.statusCode
      traces.add({
        ...found,
        name: `${method} ${route}`,
        endMs: found.startMs + clock.elapsedMs() - startedMs,
        isServer: true,
        hasFailed: status >= 500,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'ergon.request': id,
          ...(isUuid(account) && { 'ergon.account': account }),
        },
      })
    }
    done()
  })
  return {
    link(request, caused) {
      const found = open.get(request)
      found?.links.push(caused)
      return found && { trace: found.trace, id: found.id }
    },
  }
}
