import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  type HandledRoute,
  isRefusal,
  type Refusal,
  refusalBody,
  refusals,
  refuseFor,
  Verbatim,
} from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { assert, type Doors, Fault, type Log } from '../kernel/index.ts'
import { JSON_TYPE } from './answer.ts'
import type { AnswerMeter } from './answerMeter.ts'
import type { RateLimit } from './rateLimit.ts'
import { failureOf, requestIdOf } from './server.ts'

type Deps = {
  prefix: string
  /** GET with nothing but a path, which may end with an id; answered by Verbatim or a refusal. */
  routes: readonly HandledRoute[]
  doors: Doors
  log: Log
  meter: AnswerMeter
  rateLimit: RateLimit
  /** The account of a key seen before. */
  rememberedAccountOf(key: string): string | undefined
}

/** A route, its path up to the id, and how the table calls it. */
type Poll = { head: string; hasId: boolean; route: string; run: HandledRoute['run'] }
type Asked = { trace: string; route: string; startedMs: number; response: ServerResponse }

const UUID_LENGTH = 36

/**
 * What clients ask again and again, answered without the framework, whose share of such an answer is
 * larger than ours. Only the plain case is taken: a key that we know, no query, no body, a server
 * that stays. Whatever else there is goes the usual way, where `mount` has put the same routes.
 */
export function answerPolls(app: FastifyInstance, deps: Deps) {
  const take = createTaker(deps)
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  const listeners = app.server.listeners('request') as RequestListener[]
  const [framework] = listeners
  assert(framework && listeners.length === 1, 'somebody else listens for requests')
  app.server.removeAllListeners('request')
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (closing || !take(request, response)) framework(request, response)
  })
}

/** Says whether it has taken a request; if not, nothing was done. */
function createTaker(deps: Deps) {
  const { doors, rateLimit, rememberedAccountOf } = deps
  const { send, fail } = createSender(deps)
  const polls = deps.routes.map((handled) => pollOf(deps.prefix, handled))

  function answer(asked: Asked, run: () => unknown) {
    let made: unknown
    try {
      made = run()
    } catch (error) {
      fail(asked, error)
      return
    }
    if (made instanceof Promise) {
      made.then(
        (value) => send(asked, value),
        (error) => fail(asked, error),
      )
    } else send(asked, made)
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET') return false
    const url = request.url!
    const poll = polls.find((one) => isOf(one, url))
    if (!poll || hasBody(request)) return false
    const startedMs = doors.clock.elapsedMs()
    const key = request.headers['x-api-key']
    const account = typeof key === 'string' ? rememberedAccountOf(key) : undefined
    if (account === undefined) return false

    const trace = requestIdOf(request, doors.ids)
    const asked = { trace, route: poll.route, startedMs, response }
    // Without an address: nobody counts polls by it, and the peer's may be a proxy's.
    const caller = { account, trace, source: 'api', address: '' } as const
    const call = { params: { id: url.slice(poll.head.length) } } as never
    const run = () => poll.run(caller, call)
    const wait = rateLimit.check(account)
    if (wait === undefined) answer(asked, run)
    else {
      Promise.resolve(wait).then(
        (seconds) => (seconds === undefined ? answer(asked, run) : send(asked, refuseFor(seconds))),
        (error) => fail(asked, error),
      )
    }
    return true
  }
}

function createSender({ doors, log, meter }: Deps) {
  function write(asked: Asked, status: number, body: string, retryAfter?: number) {
    const { trace, route, startedMs, response } = asked
    const headers = ['x-request-id', trace, 'x-content-type-options', 'nosniff']
    headers.push('content-type', JSON_TYPE, 'content-length', String(Buffer.byteLength(body)))
    if (retryAfter !== undefined) headers.push('retry-after', String(retryAfter))
    const seconds = (doors.clock.elapsedMs() - startedMs) / 1000
    meter.add({ method: 'GET', route, status, seconds })
    response.writeHead(status, headers)
    response.end(body)
  }

  function refuse(asked: Asked, refusal: Refusal) {
    const { refused, retryAfter } = refusal
    write(asked, refusals[refused].status, refusalBody(refusal), retryAfter)
  }

  function fail(asked: Asked, error: unknown) {
    const { trace: request, route } = asked
    refuse(asked, failureOf(error, log, { request, method: 'GET', route }))
  }

  function send(asked: Asked, made: unknown) {
    if (isRefusal(made)) refuse(asked, made)
    else if (made instanceof Verbatim && !made.headers) write(asked, 200, made.body)
    else fail(asked, new Fault(`${asked.route} is polled, and its answer is not Verbatim`))
  }

  return { send, fail }
}

function pollOf(prefix: string, { route, run }: HandledRoute): Poll {
  const path = prefix + route.path
  const hasId = path.endsWith('{id}')
  const head = hasId ? path.slice(0, -'{id}'.length) : path
  const isPlainRoute =
    route.method === 'GET' &&
    !(route.query || route.headers || route.body) &&
    route.reply.status === 200
  assert(isPlainRoute && !head.includes('{'), `${route.name} is not a route that can be polled`)
  return { head, hasId, route: hasId ? `${head}:id` : path, run }
}

function isOf({ head, hasId }: Poll, url: string): boolean {
  if (!hasId) return url === head
  return (
    url.length === head.length + UUID_LENGTH && url.startsWith(head) && isPlain(url, head.length)
  )
}

/** Small hexadecimal digits and dashes to the end: nothing to decode, no query. Cheaper than a pattern. */
function isPlain(url: string, from: number): boolean {
  for (let place = from; place < url.length; place += 1) {
    const code = url.charCodeAt(place)
    const isDigit = code >= 48 && code <= 57
    const isLetter = code >= 97 && code <= 102
    if (!isDigit && !isLetter && code !== 45) return false
  }
  return true
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}
