import {
  type Answers,
  faultsBody,
  INVALID_REQUEST,
  isRefusal,
  type Refusal,
  type Route,
  refusalBody,
  refusals,
  Verbatim,
} from '@ergon/contract'
import type { FastifyReply } from 'fastify'
import type { RequestFault } from './faults.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Our address as clients see it, or empty; links to our pages begin with it. */
    publicUrl(): string
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8'

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  reply.request.refusal = refusal.refused
  if (refusal.retryAfter !== undefined) reply.header('retry-after', String(refusal.retryAfter))
  return reply
    .code(refusals[refusal.refused].status)
    .header('content-type', JSON_TYPE)
    .serializer(String)
    .send(refusalBody(refusal, reply.server.publicUrl()))
}

export function sendFaults(reply: FastifyReply, detail: RequestFault[]): FastifyReply {
  reply.request.refusal = INVALID_REQUEST
  return reply
    .code(422)
    .header('content-type', JSON_TYPE)
    .serializer(String)
    .send(faultsBody(detail, reply.server.publicUrl()))
}

export function sendVerbatim(reply: FastifyReply, { body, headers }: Verbatim): FastifyReply {
  reply.header('content-type', JSON_TYPE)
  // Its own headers come last: a statement is not JSON.
  if (headers) reply.headers(headers)
  return reply.serializer(String).send(body)
}

export function sendAnswers(reply: FastifyReply, { of, each }: Answers): FastifyReply {
  const base = reply.server.publicUrl()
  const results = each.map((one) => {
    const [status, body] = isRefusal(one)
      ? [refusals[one.refused].status, refusalBody(one, base)]
      : [of.reply.status, one instanceof Verbatim ? one.body : writerFor(reply, of)(one)]
    return `{"status":${status},"body":${body}}`
  })
  return reply
    .header('content-type', JSON_TYPE)
    .serializer(String)
    .send(`{"results":[${results.join(',')}]}`)
}

/** Compiled at the first answer: all serializers together took a quarter of the processor time of a start. */
export function writerFor(reply: FastifyReply, route: Route): (answer: unknown) => string {
  const write = reply.compileSerializationSchema(route.reply.schema as Record<string, unknown>)
  return write as (answer: unknown) => string
}
