import { ApiError, ConnectionError, type ErgonError, readRefusal } from './errors.ts'
import { parseJson, stringifyJson } from './json.ts'

export type ErgonOptions = {
  /** Ends in /v1, such as http://127.0.0.1:8080/v1. */
  baseUrl: string
  /** Not needed for public endpoints. */
  apiKey?: string
  /** For one attempt, including its answer. Default 30 s. */
  timeoutMs?: number
  /** How often a safe request is retried. Default 4. */
  retries?: number
  fetch?: typeof fetch
}

export type CallOptions = { signal?: AbortSignal | undefined }

export type Query = Record<string, string | number | boolean | undefined>

export type Ask = CallOptions & {
  query?: Query
  body?: unknown
  headers?: Record<string, string>
  /** A repeated request has the same effect as one, so it may be retried without an answer. */
  isSafe?: boolean
}

export type Transport = {
  call<T>(method: string, path: string, ask?: Ask): Promise<T>
}

const RETRIES = 4
const TIMEOUT_MS = 30_000
const DELAY_MS_FIRST = 500
const DELAY_MS_MAX = 8_000
/** The service's rate window is a minute; a longer Retry-After is cut to it. */
const RETRY_AFTER_S_MAX = 60

export function createTransport(options: ErgonOptions): Transport {
  const { apiKey, retries = RETRIES, timeoutMs = TIMEOUT_MS } = options
  const base = options.baseUrl.replace(/\/+$/, '')
  const send = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args))

  async function attempt(method: string, path: string, ask: Ask): Promise<unknown> {
    const { signal, done } = deadline(timeoutMs, ask.signal)
    try {
      const response = await send(base + path + queryText(ask.query), {
        method,
        signal,
        headers: {
          accept: 'application/json',
          ...(apiKey !== undefined && { 'x-api-key': apiKey }),
          ...(ask.body !== undefined && { 'content-type': 'application/json' }),
          ...ask.headers,
        },
        ...(ask.body !== undefined && { body: stringifyJson(ask.body) }),
      })
      const text = await response.text()
      if (!response.ok) {
        throw readRefusal(response.status, parsedOr(text), response.headers, base)
      }
      return text === '' ? undefined : parseJson(text)
    } catch (error) {
      if (error instanceof ApiError || error instanceof RangeError) throw error
      ask.signal?.throwIfAborted()
      const why = signal.aborted ? `no answer within ${timeoutMs} ms` : messageOf(error)
      throw new ConnectionError(`${method} ${base}${path}: ${why}`, { cause: error })
    } finally {
      done()
    }
  }

  return {
    async call<T>(method: string, path: string, ask: Ask = {}) {
      ask.signal?.throwIfAborted()
      const isSafe = ask.isSafe ?? method === 'GET'
      for (let tries = 0; ; tries++) {
        try {
          return (await attempt(method, path, ask)) as T
        } catch (error) {
          const waitMs = tries < retries ? retryDelay(error, tries, isSafe) : undefined
          if (waitMs === undefined) throw error
          await sleep(waitMs, ask.signal)
        }
      }
    },
  }
}

/** How long to wait before a retry; undefined when a retry is wrong or useless. */
function retryDelay(error: unknown, tries: number, isSafe: boolean): number | undefined {
  const backoff = Math.min(DELAY_MS_FIRST * 2 ** tries, DELAY_MS_MAX)
  const waitMs = backoff / 2 + Math.random() * (backoff / 2)
  if (error instanceof ConnectionError) return isSafe ? waitMs : undefined
  if (!(error instanceof ApiError)) return undefined
  const { status, code, retryAfterSeconds } = error
  const askedMs = Math.min(retryAfterSeconds ?? 0, RETRY_AFTER_S_MAX) * 1_000
  // 429 is answered before anything is done, so even an unsafe request may be sent again.
  if (status === 429) return Math.max(askedMs, waitMs)
  if (!isSafe) return undefined
  if (status >= 500) return Math.max(askedMs, waitMs)
  // Our own earlier attempt is still running; the next one will get its answer.
  return code === 'duplicate_request' && tries > 0 ? waitMs : undefined
}

/** AbortSignal.any with a timeout, for runtimes that do not have it yet. */
function deadline(timeoutMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  const onAbort = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  outer?.addEventListener('abort', onAbort)
  const done = () => {
    clearTimeout(timer)
    outer?.removeEventListener('abort', onAbort)
  }
  return { signal: controller.signal, done }
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** A temporary failure: worth a retry, if there is time. */
export function isPassing(error: unknown): error is ErgonError {
  if (error instanceof ConnectionError) return true
  return error instanceof ApiError && (error.status === 429 || error.status >= 500)
}

function queryText(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  const text = search.toString()
  return text && `?${text}`
}

function parsedOr(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** fetch says "fetch failed"; the reason is in its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}
