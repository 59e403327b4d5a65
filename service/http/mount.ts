import {
  Answers,
  type Caller,
  EventStream,
  type HandledRoute,
  isRefusal,
  type Route,
  refuseFor,
  Verbatim,
} from '@ergon/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  JSON_TYPE,
  sendAnswers,
  sendFaults,
  sendRefusal,
  sendVerbatim,
  writerFor,
} from './answer.ts'
import type { Streams } from './streams.ts'
import { validatorFor } from './validate.ts'

/** Returns the caller, or answers with a refusal and returns undefined. */
export type Guard = {
  (request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> | string | undefined
  /** For calls that count as several requests: counts the others; returns the seconds to wait if they are too many. */
  countMore?(account: string, requests: number): Wait | Promise<Wait>
}

type Wait = number | undefined

declare module 'fastify' {
  interface FastifyRequest {
    account: string
    /** The path of a mounted route, as the route table has it. */
    route: string
    startedMs: number
    /** The code of the refusal that was answered, or empty. */
    refusal: string
  }
}

type MountOptions = {
  prefix: string
  guard: Guard
  source?: Caller['source']
  /** Needed when one of the routes streams. */
  streams?: Streams
}

export function mount(
  server: FastifyInstance,
  options: MountOptions & { routes: readonly HandledRoute[] },
) {
  server.missingPage.apiPrefixes.add(options.prefix)
  for (const handled of options.routes) mountRoute(server, handled, options)
}

function mountRoute(
  server: FastifyInstance,
  { route, run }: HandledRoute,
  { prefix, guard, source = 'api', streams }: MountOptions,
) {
  const validate = validatorFor(route)
  const url = fastifyPath(prefix + route.path)
  const send = (reply: FastifyReply, answer: unknown) =>
    answer instanceof EventStream
      ? streams!.open(reply.request, reply, answer, { serialize: writerFor(reply, route) })
      : sendAnswer(reply, route, answer)
  server.route({
    method: route.method,
    url,
    // Before the body is parsed, so that 401 and 429 come before 422. Not async: a cached key needs no
    // promise.
    onRequest(request, reply, done) {
      request.route = url
      const account = guard(request, reply)
      if (account instanceof Promise) account.then((found) => enter(request, found, done), done)
      else enter(request, account, done)
    },
    ...(route.countsItemsOf !== undefined && {
      preHandler: countItems(guard, route, route.countsItemsOf),
    }),
    handler(request, reply) {
      const faults = validate(request)
      if (faults.length > 0) {
        sendFaults(reply, faults)
        return
      }
      const { params, query, headers, body } = request
      const { account, id: trace, ip: address = '' } = request
      const caller: Caller = { account, trace, source, address }
      const answer = run(caller, { params, query, headers, body } as never)
      // Return nothing: the framework would await a returned reply like a promise.
      if (answer instanceof Promise) {
        answer.then((value) => send(reply, value)).catch((error) => reply.send(error))
      } else send(reply, answer)
    },
  })
}

function enter(request: FastifyRequest, account: string | undefined, done: () => void) {
  if (account === undefined) return
  request.account = account
  done()
}

/**
 * After the body is parsed and before it is checked: 429 comes before 422. A list that is too long is one request: it
 * is answered 422 whatever is left of the minute.
 */
function countItems(guard: Guard, { body: schema }: Route, name: string) {
  const { maxItems }: { maxItems?: number } = schema!.properties[name]!
  const most = maxItems ?? Number.POSITIVE_INFINITY
  return async ({ account, body }: FastifyRequest, reply: FastifyReply) => {
    const list = (body as Record<string, unknown> | null | undefined)?.[name]
    const more = Array.isArray(list) && list.length <= most ? list.length - 1 : 0
    const wait = more > 0 ? await guard.countMore?.(account, more) : undefined
    return wait === undefined ? undefined : sendRefusal(reply, refuseFor(wait))
  }
}

function sendAnswer(reply: FastifyReply, route: Route, answer: unknown): FastifyReply {
  if (isRefusal(answer)) return sendRefusal(reply, answer)
  if (answer instanceof Verbatim) return sendVerbatim(reply, answer)
  if (answer instanceof Answers) return sendAnswers(reply, answer)
  const { status } = route.reply
  if (status === 204) return reply.code(status).send()
  return reply
    .code(status)
    .header('content-type', JSON_TYPE)
    .serializer(writerFor(reply, route))
    .send(answer)
}

function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}
