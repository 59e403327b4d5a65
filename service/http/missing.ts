import { refuse } from '@ergon/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendRefusal } from './answer.ts'

declare module 'fastify' {
  interface FastifyInstance {
    missingPage: MissingPage
  }
}

type MissingPage = {
  /** Answers a browser with a page; undefined: this server has none. */
  send: ((request: FastifyRequest, reply: FastifyReply) => FastifyReply) | undefined
  /** Under these, programs call: they read JSON, whatever they say that they accept. */
  apiPrefixes: Set<string>
}

export function prepareMissing(server: FastifyInstance) {
  server.decorate('missingPage', { send: undefined, apiPrefixes: new Set<string>() })
}

/** 404: a page for a person's browser, JSON for everybody else. */
export function sendMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { send } = reply.server.missingPage
  return send && wantsPage(request)
    ? send(request, reply)
    : sendRefusal(reply, refuse('not_found_path'))
}

function wantsPage({ method, url, headers, server }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (!/\btext\/html\b/.test(headers.accept ?? '')) return false
  const [path] = url.split('?') as [string]
  const { apiPrefixes } = server.missingPage
  return ![...apiPrefixes].some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
}
