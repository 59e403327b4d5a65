import type { FastifyReply } from 'fastify'

/** A day; browsers have lower limits of their own. */
const PREFLIGHT_SECONDS = '86400'

/**
 * Lets scripts of any origin read the answer, also a refusal, if the path is one of those. Without
 * credentials: these paths know no key and no cookie.
 */
export function openToAnyOrigin(
  prefixes: readonly string[],
  url: string,
  reply: FastifyReply,
): boolean {
  if (!prefixes.some((prefix) => url.startsWith(prefix))) return false
  reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', 'retry-after, x-request-id')
  return true
}

/** The question that a browser asks before a request which a plain link could not make. */
export function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'GET, HEAD')
    .header('access-control-allow-headers', '*')
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .send()
}
