import type { WebhookEvent } from './events.ts'
import { type HeadersLike, verifyWebhook, WebhookError } from './signature.ts'

export type WebhookHandler = {
  secret: string | readonly string[]
  /**
   * Runs before the delivery is answered. When it throws, 500 is answered and the service retries
   * later.
   */
  onEvent(event: WebhookEvent): void | Promise<void>
  toleranceSeconds?: number
}

type Outcome = { status: 200 | 400 | 500; text: string }

async function take(
  { secret, onEvent, toleranceSeconds }: WebhookHandler,
  headers: HeadersLike,
  body: string | Uint8Array | ArrayBuffer,
): Promise<Outcome> {
  let event: WebhookEvent
  try {
    const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds }
    event = await verifyWebhook({ secret, headers, body, ...tolerance })
  } catch (error) {
    if (error instanceof WebhookError) return { status: 400, text: error.message }
    throw error
  }
  try {
    await onEvent(event)
    return { status: 200, text: 'ok' }
  } catch {
    // The error is not sent: it is internal to the receiver.
    return { status: 500, text: 'the event was not handled' }
  }
}

/** For every runtime with Fetch: Deno, Bun, workers, and `(request) => Response` frameworks. */
export function fetchWebhook(handler: WebhookHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, text } = await take(handler, request.headers, await request.arrayBuffer())
    return new Response(text, { status })
  }
}

/** `app.post('/hook', honoWebhook({ secret, onEvent }))` */
export function honoWebhook(handler: WebhookHandler) {
  const answer = fetchWebhook(handler)
  return (context: { req: { raw: Request } }): Promise<Response> => answer(context.req.raw)
}

type NodeRequest = AsyncIterable<unknown> & {
  headers: Readonly<Record<string, string | string[] | undefined>>
  body?: unknown
}
type ExpressResponse = { status(code: number): { send(body: string): unknown } }

/**
 * `app.post('/hook', expressWebhook({ secret, onEvent }))`, before `express.json()`: the signature
 * covers the bytes that arrived, which a parsed body no longer has. `express.raw()` works.
 */
export function expressWebhook(handler: WebhookHandler) {
  return async (
    request: NodeRequest,
    response: ExpressResponse,
    next: (error?: unknown) => void,
  ): Promise<void> => {
    try {
      const body = rawBody(request.body) ?? (await readAll(request))
      const { status, text } = await take(handler, request.headers, body)
      response.status(status).send(text)
    } catch (error) {
      next(error)
    }
  }
}

function rawBody(body: unknown): string | Uint8Array | undefined {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body === undefined || body === null) return undefined
  throw new WebhookError('body', 'the body was parsed already: mount this before express.json()')
}

async function readAll(chunks: AsyncIterable<unknown>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk as Uint8Array)
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

type FastifyLike = {
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parse: (request: unknown, body: Uint8Array, done: (error: null, body: unknown) => void) => void,
  ): unknown
  post(
    path: string,
    run: (
      request: {
        headers: Readonly<Record<string, string | string[] | undefined>>
        body: unknown
      },
      reply: { code(status: number): { send(body: string): unknown } },
    ) => Promise<unknown>,
  ): unknown
}

/**
 * `app.register(fastifyWebhook('/hook', { secret, onEvent }))`. The plugin has its own content
 * parser, so the rest of the application still gets parsed bodies.
 */
export function fastifyWebhook(path: string, handler: WebhookHandler) {
  return async (app: FastifyLike): Promise<void> => {
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    app.post(path, async ({ headers, body }, reply) => {
      const { status, text } = await take(handler, headers, body as Uint8Array)
      return reply.code(status).send(text)
    })
  }
}
