import { parseJson } from '@ergon/tron'
import type { Clock } from '../kernel/index.ts'

/** Credentials of one marketplace. Key and secret never appear in a reason or an error. */
export type Access = { url: string; key: string; secret: string }

/** Clock and network of an adapter. A test may pass another `fetch`. */
export type Outside = { clock: Clock; fetch?: typeof fetch; timeoutMs?: number }

export type Question = {
  method: 'GET' | 'POST'
  /** From the base address on, with the query exactly as it is sent and signed. */
  path: string
  headers: Record<string, string>
  body?: string
}

/**
 * `received` only for an answer of the marketplace itself: JSON with a status below 500. Otherwise the
 * outcome of the request is unknown. `said`: the body of a 503, for adapters that can tell the
 * marketplace's own 503 from a proxy's.
 */
export type Answer =
  | { received: true; status: number; json: unknown }
  | { received: false; reason: string; response?: unknown }

export type Http = {
  ask(question: Question): Promise<Answer>
  /** The path as the server sees it, for schemes that sign it. */
  signedPath(path: string): string
}

/** Short against the two minutes of an order, so that there is time to look it up. */
const TIMEOUT_MS = 8_000
const BYTES_MAX = 1024 * 1024
/** Statuses that mean that the request had no effect, even if the body says otherwise. */
const TURNED_AWAY = new Set([401, 403, 429])
const REQUEST_TIMEOUT = 408
const UNAVAILABLE = 503

/** A client for one base address: no redirects, limited in time and size. */
export function createHttp({ url }: Access, outside: Outside): Http {
  const { timeoutMs = TIMEOUT_MS, fetch: call = fetch } = outside
  const base = new URL(url)
  const prefix = base.pathname.replace(/\/+$/, '')
  const signedPath = (path: string) => `${prefix}${path}`

  return {
    signedPath,
    async ask({ method, path, headers, body }) {
      try {
        const response = await call(`${base.origin}${signedPath(path)}`, {
          method,
          headers: { accept: 'application/json', ...headers },
          ...(body !== undefined && { body }),
          // A redirect would carry key and order to another host.
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
        })
        return await read(response)
      } catch (error) {
        return { received: false, reason: silence(error, timeoutMs) }
      }
    },
  }
}

async function read(response: Response): Promise<Answer> {
  const { status } = response
  const isOurs = status < 300 || (status >= 400 && status < 500 && status !== REQUEST_TIMEOUT)
  if (status === UNAVAILABLE) {
    const body = jsonOf((await readBounded(response)) ?? '')
    return {
      received: false,
      reason: `status ${status}`,
      ...(body !== undefined && { response: body }),
    }
  }
  if (!isOurs) {
    await response.body?.cancel()
    return { received: false, reason: `status ${status}` }
  }
  const text = await readBounded(response)
  if (text === undefined) return { received: false, reason: `answer above ${BYTES_MAX} bytes` }
  const json = jsonOf(text)
  if (json !== undefined) return { received: true, status, json }
  if (TURNED_AWAY.has(status)) return { received: true, status, json: null }
  return { received: false, reason: `status ${status} without JSON` }
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // The declared length may be missing, and it counts compressed bytes.
    if (length > BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Codes and names only: the message of a failed fetch may quote a header, and headers hold keys. */
function silence(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError') return `no answer in ${timeoutMs} ms`
  const code = error.cause instanceof Error && 'code' in error.cause ? error.cause.code : undefined
  return typeof code === 'string' ? `no answer: ${code}` : `no answer: ${error.name}`
}

/** The reason when the status proves that the request had no effect; else undefined. */
export function turnedAway(status: number): string | undefined {
  if (status === 429) return 'too many calls'
  return TURNED_AWAY.has(status) ? `not let in (status ${status})` : undefined
}
