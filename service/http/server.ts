import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type Refusal, type RefusalCode, refusalBody, refusals, refuse } from '@ergon/contract'
import Fastify, {
  type ConnectionError,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { isTimeout, wasNeverSent } from '../db/index.ts'
import { isUuid, type Log, NotNow, type Runtime } from '../kernel/index.ts'
import { sendFaults, sendRefusal } from './answer.ts'
import { answerPreflight, openToAnyOrigin } from './anyOrigin.ts'
import { invalidJson } from './faults.ts'
import { rememberMethods } from './methods.ts'
import { prepareMissing, sendMissing } from './missing.ts'
import { answerAfterBody } from './unreadBody.ts'

const BODY_BYTES_MAX = 64 * 1024
/** Node's bound of a request's head, and so of its URL. */
const URL_BYTES_MAX = 16 * 1024
/** Form of a client's request id that is accepted. */
const REQUEST_ID = /^[\w.-]{1,64}$/
/** HTTP with a method that Node does not know. */
const REQUEST_LINE = /^[A-Za-z-]+ \S+ HTTP\/1\.[01]\r\n/

type Options = {
  runtime: Runtime
  log: Log
  trustedProxies: string[]
  /** Paths that scripts of any origin may read, as prefixes; absent: none. */
  anyOrigin?: readonly string[]
  /** Our address as clients see it; absent: links to our pages are paths. */
  publicUrl?(): string
  /** Called before any hook of ours: those of others come first. */
  prepare?(server: FastifyInstance): void
}

/** The server without routes: limits, error shapes, request ids. */
export function createServer(options: Options): FastifyInstance {
  const { runtime, log, trustedProxies, anyOrigin = [], publicUrl = () => '' } = options
  const server = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    requestIdHeader: false,
    // The client's id or a new one; webhooks carry it too.
    genReqId({ headers }) {
      const given = headers['x-request-id']
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : runtime.ids.next()
    },
    // A GET has no body to wait for. A missing Host is refused below, in JSON.
    http: { optimizeEmptyRequests: true, requireHostHeader: false },
    // An id of any length is an unknown id; Node bounds the length of a URL.
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: URL_BYTES_MAX },
    rewriteUrl: decodable,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    // Serve requests on open connections while draining: the framework's 503 would not have the
    // contract's shape.
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => {
      openToAnyOrigin(anyOrigin, request.url, reply as unknown as FastifyReply)
      sendRefusal(reply as unknown as FastifyReply, refuse('not_found_path'))
    },
    clientErrorHandler: (error, socket) => refuseConnection(error, socket, publicUrl()),
  })
  server.decorate('publicUrl', publicUrl)
  prepareMissing(server)
  options.prepare?.(server)
  const methodsOf = rememberMethods(server)
  server.decorateRequest('account', '')
  server.decorateRequest('route', '')
  server.decorateRequest('startedMs', 0)
  server.decorateRequest('refusal', '')
  server.addHook('onRequest', (request, reply, done) => {
    request.startedMs = runtime.clock.elapsedMs()
    reply.header('x-request-id', request.id)
    // Stops browsers from reading an answer as HTML.
    reply.header('x-content-type-options', 'nosniff')
    if (request.headers.host === undefined && request.raw.httpVersion !== '1.0') {
      sendRefusal(reply.header('connection', 'close'), refuse('host_required'))
      return
    }
    const isOpen = openToAnyOrigin(anyOrigin, request.url, reply)
    if (isOpen && request.method === 'OPTIONS') {
      answerPreflight(reply)
      return
    }
    if (request.is404) {
      const allowed = methodsOf(request.url)
      if (allowed) reply.header('allow', allowed.join(', '))
      if (allowed) sendRefusal(reply, refuse('method_not_allowed'))
      else sendMissing(request, reply)
      return
    }
    // The body is read as JSON, also when the header names another type.
    request.headers['content-type'] &&= 'application/json'
    done()
  })
  answerAfterBody(server, BODY_BYTES_MAX)
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (request.headers['x-api-key'] !== undefined) reply.header('cache-control', 'no-store')
    done()
  })
  if (log.writesInfo) {
    server.addHook('onResponse', (request, reply, done) => {
      log.info('request', describeRequest(request, reply, runtime.clock.elapsedMs()))
      done()
    })
  }
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
  server.server.on('connect', (_request, socket) => {
    // Node has taken its listeners off this socket, and its time limits.
    socket.on('error', () => {})
    socket.once('finish', () => socket.destroy())
    answerRaw(socket as Socket, 'method_not_allowed', publicUrl())
  })
  return server
}

/** One line of the log per request: never its URL, its body or a header. */
function describeRequest(request: FastifyRequest, reply: FastifyReply, nowMs: number) {
  const { id, method, account, startedMs } = request
  return {
    method,
    route: request.route || request.routeOptions.url || 'none',
    status: reply.statusCode,
    duration_ms: Math.round((nowMs - startedMs) * 10) / 10,
    // An operator is known by an e-mail address, which stays out of the log.
    account: isUuid(account) ? account : undefined,
    request: id,
  }
}

/** The answer to an unexpected error; the details are only in the log. */
export function failureOf(
  error: unknown,
  log: Log,
  about: { request: string; method: string; route: string | undefined },
): Refusal {
  // No statement was sent; the pool has logged the reason.
  if (wasNeverSent(error) || error instanceof NotNow) return refuse('overloaded')
  log.error('request_failed', { ...about, error })
  // Its transaction waited for a lock or worked for too long, and was undone.
  return refuse(isTimeout(error) ? 'overloaded' : 'server_error')
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

/** Without the origin that a proxy may write; a step that cannot be decoded becomes an unknown id. */
function decodable({ url = '/' }: IncomingMessage): string {
  const local = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/'
  if (!local.includes('%')) return local
  const [path = '', ...query] = local.split('?')
  const steps = path.split('/').map((step) => (isDecodable(step) ? step : '%25'))
  return [steps.join('/'), ...query].join('?')
}

function isDecodable(step: string): boolean {
  try {
    decodeURIComponent(step)
    return true
  } catch {
    return false
  }
}

/** Answers invalid HTTP, unknown methods and oversized headers, and closes the connection. */
function refuseConnection(error: ConnectionError, socket: Socket, base: string) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  answerRaw(socket, codeOf(error), base)
}

function codeOf({ code, rawPacket }: ConnectionError): RefusalCode {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'headers_too_large'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout'
    case 'HPE_INVALID_METHOD':
      return REQUEST_LINE.test(String(rawPacket)) ? 'method_not_allowed' : 'bad_request'
    default:
      return 'bad_request'
  }
}

function answerRaw(socket: Socket, code: RefusalCode, base: string) {
  if (!socket.writable) return
  const { status } = refusals[code]
  const body = refusalBody(refuse(code), base)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
