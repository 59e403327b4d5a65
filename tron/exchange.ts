import { isAscii } from 'node:buffer'
import { parseJson, stringifyJson, type Unread } from './json.ts'
import type { Post, PostAnswer } from './post.ts'
import { NodeTrouble, type TroubleKind } from './trouble.ts'

/** The client's access to network and time, which tests replace. */
export type World = {
  post: Post
  now: () => number
  /** Also the timer of timeouts; rejects when the signal fires. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export type Target = {
  url: string
  host: string
  apiKey: string | undefined
  /** Where it serves /walletsolidity; undefined: at its own address, or on the port after it. */
  solidityUrl?: string | undefined
}

export type Question = {
  path: string
  body: Record<string, unknown>
  /** A field of the answer that is not read, so its integers need not be exact. */
  unread?: Unread
}

// Limit of an answer. A full mainnet block is 1 to 2 MiB; a range of 100 fits only on a quiet
// chain.
const responseBytesMax = 32 * 1024 * 1024
const busyText = 'lack of computing resources'

/** One POST and its answer as lossless JSON. Every failure is a NodeTrouble. */
export async function exchange(
  world: World,
  target: Target,
  { timeoutMs, ...question }: Question & { timeoutMs: number },
): Promise<unknown> {
  const node = target.host
  const { path } = question
  if (timeoutMs <= 0) throw new NodeTrouble('timeout', 'no time left', { node })
  const request = new AbortController()
  const timer = new AbortController()
  let timedOut = false
  const timeout = world.sleep(timeoutMs, timer.signal).then(() => {
    timedOut = true
    request.abort()
    throw new NodeTrouble('timeout', `no answer in ${Math.ceil(timeoutMs)} ms to ${path}`, { node })
  })
  timeout.catch(() => {})
  try {
    return await Promise.race([ask(world, target, question, request.signal), timeout])
  } catch (error) {
    if (error instanceof NodeTrouble) throw error
    const kind = timedOut ? 'timeout' : 'unreachable'
    throw new NodeTrouble(kind, `${path}: ${describe(error)}`, { node, cause: error })
  } finally {
    timer.abort()
    request.abort()
  }
}

async function ask(
  world: World,
  target: Target,
  { path, body, unread }: Question,
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await world.post(`${target.url}/${path}`, {
    headers: {
      'content-type': 'application/json',
      ...(target.apiKey === undefined ? {} : { 'tron-pro-api-key': target.apiKey }),
    },
    body: stringifyJson(body),
    signal,
  })
  refuseStatus(answer, target.host, world.now())
  const text = await readBounded(answer, target.host)
  return refuseError(parse(text, { path, unread, node: target.host }), path, target.host)
}

function refuseStatus(answer: PostAnswer, node: string, now: number): void {
  const { status } = answer
  if (status === 200) return
  if (status === 403 || status === 429 || status === 503) {
    const retryAfterMs = readRetryAfter(answer.headers.get('retry-after'), now)
    const details = retryAfterMs === undefined ? { node } : { node, retryAfterMs }
    throw new NodeTrouble('rate_limited', `status ${status}`, details)
  }
  throw new NodeTrouble(kindOf(status), `status ${status}`, { node })
}

function kindOf(status: number): TroubleKind {
  if (status === 404 || status === 405) return 'not_served'
  return status === 502 || status === 504 ? 'unreachable' : 'node_error'
}

function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

async function readBounded({ body }: PostAnswer, node: string): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    // Leaving the loop cancels the stream. The declared length is not used: it may be missing, and
    // it counts compressed bytes.
    if (length > responseBytesMax) {
      throw new NodeTrouble('malformed', `answer larger than ${responseBytesMax} bytes`, { node })
    }
    chunks.push(chunk)
  }
  const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength)
  // For ASCII both encodings give the same text, and latin1 is a plain copy of the bytes.
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}

type Origin = { path: string; unread: Unread | undefined; node: string }

function parse(text: string, { path, unread, node }: Origin): unknown {
  try {
    return parseJson(text, unread)
  } catch (cause) {
    // A lite node refuses history with a plain sentence.
    const start = text.slice(0, 120)
    throw new NodeTrouble('malformed', `${path} answered: ${start}`, { node, cause })
  }
}

/** java-tron reports errors with status 200 and an "Error" key. */
function refuseError(json: unknown, path: string, node: string): unknown {
  if (typeof json !== 'object' || json === null) {
    throw new NodeTrouble('malformed', `${path} answered no object`, { node })
  }
  if (!('Error' in json)) return json
  const message = String(json.Error)
  const kind = message.includes(busyText) ? 'rate_limited' : 'node_error'
  throw new NodeTrouble(kind, `${path}: ${message.slice(0, 300)}`, { node })
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
