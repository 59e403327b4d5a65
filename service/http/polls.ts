import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import {
  type Caller,
  type HandledRoute,
  isRefusal,
  Lasting,
  type Refusal,
  refusalBody,
  refusals,
  refuseFor,
  Verbatim,
} from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { assert, type Doors, Fault, type Log } from '../kernel/index.ts'
import { JSON_TYPE } from './answer.ts'
import type { AnswerMeter, Series } from './answerMeter.ts'
import type { Counted, RateLimit } from './rateLimit.ts'
import { createRequestIds, isRequestId } from './requestIds.ts'
import { failureOf } from './server.ts'

type Deps = {
  prefix: string
  /** GET with nothing but a path, which may end with an id; answered by Verbatim or a refusal. */
  routes: readonly HandledRoute[]
  doors: Doors
  log: Log
  meter: AnswerMeter
  rateLimit: RateLimit
  /** What `make` has made of the account of a key seen before. */
  remembering<T>(make: (account: string) => T): (key: string) => T | undefined
}

/** A route, its path up to the id, and how the table calls it. */
type Poll = { head: string; hasId: boolean; route: string; run: HandledRoute['run']; meter: Series }
type Asked = { trace: string; poll: Poll; startedMs: number; response: ServerResponse }
/** Who asks with a key, and what it was told last, if that may still be so. */
type Visitor = Counted & { url: string; told: Lasting | undefined }
/** What matters of the headers of a plain request. */
type Plain = { key: string; trace: string | undefined }

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
  const { doors, rateLimit } = deps
  const { send, fail } = createSender(deps)
  const newRequestId = createRequestIds(doors)
  const polls = deps.routes.map((handled) => pollOf(deps, handled))
  const visitorOf = deps.remembering(newVisitor)

  function tell(asked: Asked, visitor: Visitor, url: string) {
    const { told } = visitor
    if (told && visitor.url === url && told.holds()) send(asked, told)
    else answer(asked, visitor, url)
  }

  function answer(asked: Asked, visitor: Visitor, url: string) {
    const { poll, trace } = asked
    const { account } = visitor
    const id = url.slice(poll.head.length)
    // Without an address: nobody counts polls by it, and the peer's may be a proxy's.
    const caller: Caller = { account, trace, source: 'api', address: '' }
    let made: unknown
    try {
      made = poll.run(caller, { params: { id } } as never)
    } catch (error) {
      fail(asked, error)
      return
    }
    if (made instanceof Promise) {
      made.then(
        (value) => send(asked, value),
        (error) => fail(asked, error),
      )
      return
    }
    if (made instanceof Lasting) {
      visitor.url = url
      visitor.told = made
    }
    send(asked, made)
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET') return false
    const url = request.url!
    const poll = polls.find((one) => isOf(one, url))
    const plain = poll && plainOf(request.rawHeaders)
    if (!plain) return false
    const startedMs = doors.clock.elapsedMs()
    const visitor = visitorOf(plain.key)
    if (visitor === undefined) return false

    const trace = plain.trace ?? newRequestId()
    const asked: Asked = { trace, poll, startedMs, response }
    const wait = rateLimit.check(visitor, startedMs)
    if (wait === undefined) tell(asked, visitor, url)
    else {
      Promise.resolve(wait).then(
        (seconds) =>
          seconds === undefined ? tell(asked, visitor, url) : send(asked, refuseFor(seconds)),
        (error) => fail(asked, error),
      )
    }
    return true
  }
}

function createSender({ doors, log }: Deps) {
  function write(asked: Asked, status: number, headers: string[], body: string) {
    const { poll, startedMs, response } = asked
    poll.meter.add(status, (doors.clock.elapsedMs() - startedMs) / 1000)
    response.writeHead(status, headers)
    response.end(body)
  }

  function refuse(asked: Asked, refusal: Refusal) {
    const { refused, retryAfter } = refusal
    const body = refusalBody(refusal)
    const headers = headersOf(asked.trace, String(Buffer.byteLength(body)))
    if (retryAfter !== undefined) headers.push('retry-after', String(retryAfter))
    write(asked, refusals[refused].status, headers, body)
  }

  function fail(asked: Asked, error: unknown) {
    const { trace: request, poll } = asked
    refuse(asked, failureOf(error, log, { request, method: 'GET', route: poll.route }))
  }

  function send(asked: Asked, made: unknown) {
    if (isRefusal(made)) refuse(asked, made)
    else if (made instanceof Verbatim && !made.headers) {
      write(asked, 200, headersOf(asked.trace, made.length), made.body)
    } else fail(asked, new Fault(`${asked.poll.route} is polled, and its answer is not Verbatim`))
  }

  return { send, fail }
}

function headersOf(trace: string, length: string): string[] {
  return [
    'x-request-id',
    trace,
    'x-content-type-options',
    'nosniff',
    'content-type',
    JSON_TYPE,
    'content-length',
    length,
  ]
}

const newVisitor = (account: string): Visitor => ({
  account,
  window: undefined,
  url: '',
  told: undefined,
})

function pollOf({ prefix, meter }: Deps, { route, run }: HandledRoute): Poll {
  const path = prefix + route.path
  const hasId = path.endsWith('{id}')
  const head = hasId ? path.slice(0, -'{id}'.length) : path
  const isPlainRoute =
    route.method === 'GET' &&
    !(route.query || route.headers || route.body) &&
    route.reply.status === 200
  assert(isPlainRoute && !head.includes('{'), `${route.name} is not a route that can be polled`)
  const name = hasId ? `${head}:id` : path
  return { head, hasId, route: name, run, meter: meter.of('GET', name) }
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

/**
 * Undefined if there is no key, or anything that needs more than this: a body, or a header twice. Read as they
 * came, because an object of all headers is made when it is asked for, and costs more.
 */
function plainOf(raw: readonly string[]): Plain | undefined {
  let key: string | undefined
  let trace: string | undefined
  for (let place = 0; place < raw.length; place += 2) {
    const name = raw[place]!
    // Few names are of these lengths.
    switch (name.length) {
      case 'x-api-key'.length:
        if (name.toLowerCase() !== 'x-api-key') break
        if (key !== undefined) return undefined
        key = raw[place + 1]!
        break
      case 'x-request-id'.length:
        if (name.toLowerCase() !== 'x-request-id') break
        if (trace !== undefined || !isRequestId(raw[place + 1]!)) return undefined
        trace = raw[place + 1]!
        break
      case 'content-length'.length:
      case 'transfer-encoding'.length:
        if (/^(content-length|transfer-encoding)$/i.test(name)) return undefined
    }
  }
  return key === undefined ? undefined : { key, trace }
}
