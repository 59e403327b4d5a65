import type { FastifyReply, FastifyRequest } from 'fastify'

/** Programs call these, and read JSON whatever they say that they accept. */
const API = /^\/(v1|app\/v1|operator\/v1|sandbox)(\/|$)/

/** It shows nothing of the request, so that a link to us carries no words of others. */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Nothing is here - Ergon</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 32rem; padding: 0 1rem }</style>
<h1>Nothing is here</h1>
<p>This address does not exist. It may be mistyped, or the link to it is old.</p>
<p><a href="/">Workspace</a> · <a href="/docs">Guide and reference</a></p>
</html>
`

/** Whether a person's browser asks, and not for the API. */
export function wantsPage({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && /\btext\/html\b/.test(headers.accept ?? '') && !API.test(url)
}

export function sendMissingPage(reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    .header('cache-control', 'no-store')
    .send(PAGE)
}
