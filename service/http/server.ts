import { STATUS_CODES } from 'node:http'
import { type Refusal, refuse } from '@ergon/contract'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import { wasNeverSent } from '../db/index.ts'
import type { Log, Runtime } from '../kernel/index.ts'
import { sendFaults, sendRefusal } from './answer.ts'
import { invalidJson } from './faults.ts'

const BODY_BYTES_MAX = 64 * 1024
/** Form of a client's request id that is accepted. */
const REQUEST_ID = /^[\w.-]{1,64}$/

type Options = { runtime: Runtime; log: Log; trustedProxies: string[] }

/** The server without routes: limits, error shapes, request ids. */
export function createServer({ runtime, log, trustedProxies }: Options): FastifyInstance {
  const server = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    requestIdHeader: false,
    // The client's id or a new one; webhooks carry it too.
    genReqId({ headers }) {
      const given = headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : runtime.ids.next()
    },
    // A GET has no body to wait for.
    http: { optimizeEmptyRequests: true },
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 200 },
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    // Serve requests on open connections while draining: the framework's 503 would not have the
    // contract's shape.
    return503OnClosing: false,
    frameworkErrors: (_error, _request, reply) => {
      sendRefusal(reply as unknown as FastifyReply, refuse('not_found_path'))
    },
    clientErrorHandler,
  })
  server.decorateRequest('account', '')
  server.decorateRequest('route', '')
  server.decorateRequest('startedMs', 0)
  server.addHook('onRequest', (request, reply, done) => {
    request.startedMs = runtime.clock.elapsedMs()
    reply.header('x-request-id', request.id)
    // Stops browsers from reading an answer as HTML.
    reply.header('x-content-type-options', 'nosniff')
    if (request.is404) {
      sendRefusal(reply, refuse('not_found_path'))
      return
    }
    // The body is read as JSON, whatever the header says.
    request.headers['content-type'] &&= 'application/json'
    done()
  })
  server.setNotFoundHandler((_request, reply) => sendRefusal(reply, refuse('not_found_path')))
  server.setErrorHandler((error: FastifyError, request, reply) => {
    // A client that disconnected within its body gets no answer, and no error is logged.
    const left = error === request.raw.errored
    const expected = left ? 'json' : expectedError(error)
    if (expected === 'json') return sendFaults(reply, [invalidJson])
    if (expected) return sendRefusal(reply, refuse(expected))
    const { id, method } = request
    const route = request.routeOptions.url
    return sendRefusal(reply, failureOf(error, log, { request: id, method, route }))
  })
  acceptJsonOfAnyType(server)
  return server
}

/** The answer to an unexpected error; the details are only in the log. */
export function failureOf(
  error: unknown,
  log: Log,
  about: { request: string; method: string; route: string | undefined },
): Refusal {
  // No statement was sent; the pool has logged the reason.
  if (wasNeverSent(error)) return refuse('overloaded')
  log.error('request_failed', { ...about, error })
  return refuse('server_error')
}

/** Any content type is read as JSON; an empty body is no body. A body that is not JSON is a 422. */
function acceptJsonOfAnyType(server: FastifyInstance) {
  server.removeAllContentTypeParsers()
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      const text = utf8.decode(body as Buffer)
      done(null, text.trim() === '' ? undefined : JSON.parse(text))
    } catch {
      done(Object.assign(new Error('not JSON'), { code: 'ERGON_INVALID_JSON' }), undefined)
    }
  })
}

function expectedError(error: FastifyError) {
  switch (error.code) {
    case 'ERGON_INVALID_JSON':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return 'json'
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return 'body_too_large'
    default:
      return undefined
  }
}

/** Answers invalid HTTP and oversized headers, and closes the connection. */
function clientErrorHandler(error: NodeJS.ErrnoException, socket: import('node:net').Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const status =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 431
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 408
        : 400
  const body = JSON.stringify({ detail: STATUS_CODES[status] })
  if (socket.writable) {
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
}
