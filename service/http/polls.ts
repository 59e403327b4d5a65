import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  type HandledRoute,
  isRefusal,
  type Refusal,
  refusalBody,
  refusals,
  refuseFor,
  type Verbatim,
} from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import type { Doors, Log } from '../kernel/index.ts'
import { JSON_TYPE } from './answer.ts'
import type { AnswerMeter } from './answerMeter.ts'
import type { RateLimit } from './rateLimit.ts'
import { failureOf, requestIdOf } from './server.ts'

type Deps = {
  prefix: string
  /** GET without a query, answered by Verbatim or a refusal; the path may end with an id. */
  routes: readonly HandledRoute[]
  doors: Doors
  log: Log
  meter: AnswerMeter
  rateLimit: RateLimit
  /** The account of a key seen before. */
  rememberedAccountOf(key: string): string | undefined
}

type Poll = { head: string; hasId: boolean; route: string; run: HandledRoute['run'] }
type Asked = { trace: string; route: string; startedMs: number; response: ServerResponse }

const UUID_LENGTH = 36

/**
 * What clients ask again and again, answered without the framework, whose share of such an answer is
 * larger than ours. Only the plain case is taken: a key that we know, no query, no body, a server
 * that stays. Whatever else there is goes the usual way, where `mount` has put the same routes.
 */
export function answerPolls(app: FastifyInstance, deps: Deps) {
  const { doors, log, meter, rateLimit, rememberedAccountOf } = deps
  const polls = deps.routes.map((handled) => pollOf(deps.prefix, handled))
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })

  /** False when nothing was done: the request is the framework's. */
  function take(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET' || closing) return false
    const url = request.url!
    const poll = polls.find((one) => isOf(one, url))
    if (!poll || hasBody(request)) return false
    const startedMs = doors.clock.elapsedMs()
    const key = request.headers['x-api-key']
    const account = typeof key === 'string' ? rememberedAccountOf(key) : undefined
    if (account === undefined) return false

    const trace = requestIdOf(request, doors.ids)
    const asked = { trace, route: poll.route, startedMs, response }
    const call = { params: { id: url.slice(poll.head.length) } } as never
    // The peer's address, perhaps a proxy's: nobody counts these requests by it.
    const address = request.socket.remoteAddress ?? ''
    const run = () => poll.run({ account, trace, source: 'api', address }, call) as Answer
    const wait = rateLimit.check(account)
    if (wait === undefined) answer(asked, run)
    else if (wait instanceof Promise) {
      void wait.then((seconds) =>
        seconds === undefined ? answer(asked, run) : send(asked, refuseFor(seconds)),
      )
    } else send(asked, refuseFor(wait))
    return true
  }

  function answer(asked: Asked, run: () => Answer | Promise<Answer>) {
    const fail = (error: unknown) =>
      send(
        asked,
        failureOf(error, log, { request: asked.trace, method: 'GET', route: asked.route }),
      )
    try {
      const made = run()
      if (made instanceof Promise) made.then((value) => send(asked, value), fail)
      else send(asked, made)
    } catch (error) {
      fail(error)
    }
  }

  function send({ trace, route, startedMs, response }: Asked, made: Answer) {
    const status = isRefusal(made) ? refusals[made.refused].status : 200
    const body = isRefusal(made) ? refusalBody(made) : made.body
    const headers = ['x-request-id', trace, 'x-content-type-options', 'nosniff']
    headers.push('content-type', JSON_TYPE, 'content-length', String(Buffer.byteLength(body)))
    if (isRefusal(made) && made.retryAfter !== undefined) {
      headers.push('retry-after', String(made.retryAfter))
    }
    const seconds = (doors.clock.elapsedMs() - startedMs) / 1000
    meter.add({ method: 'GET', route, status, seconds })
    response.writeHead(status, headers)
    response.end(body)
  }

  const [framework] = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!take(request, response)) framework!(request, response)
  })
}

type Answer = Verbatim | Refusal

function pollOf(prefix: string, { route, run }: HandledRoute): Poll {
  const path = prefix + route.path
  const hasId = path.endsWith('{id}')
  const head = hasId ? path.slice(0, -'{id}'.length) : path
  return { head, hasId, route: hasId ? `${head}:id` : path, run }
}

function isOf({ head, hasId }: Poll, url: string): boolean {
  if (!hasId) return url === head
  return (
    url.length === head.length + UUID_LENGTH && url.startsWith(head) && isPlain(url, head.length)
  )
}

/** Small hexadecimal digits and dashes to the end: nothing to decode, no query. Half as dear as a pattern. */
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
