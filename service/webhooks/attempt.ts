import type { Runtime } from '../kernel/index.ts'
import type { Client } from './client.ts'
import type { DueRow } from './deliver.sql.ts'
import type { Exchange } from './exchange.ts'
import { readRetryAfter, retryDelayMs } from './retry.ts'
import type { Secrets } from './secrets.ts'
import { headersOf } from './signature.ts'
import type { ReceiverRow } from './store.ts'

/** The outcome of one attempt, to be stored. */
export type Outcome = {
  id: string
  webhook: string
  state: 'delivered' | 'pending' | 'failed'
  delaySeconds: number
  responseStatus: number | null
  error: string | null
  /** The receiver answered 410. */
  gone: boolean
  /** JSON of an `AttemptLog`. */
  log: string
}

/** An attempt as the owner of the webhook sees it. */
export type AttemptLog = {
  at: string
  /** The timestamp of the signature, in Unix seconds. Absent when nothing was sent. */
  signed_at?: number
  duration_ms?: number
  status: number | null
  error: string | null
  answer?: string
}

export type Attempt = Exchange & { signedAt?: number; durationMs?: number }

type Message = Pick<DueRow, 'id' | 'type' | 'body'>

export type Attempts = {
  /** Signs and sends, once. Throws at once where a secret cannot be opened; never rejects. */
  send(receiver: ReceiverRow, message: Message): Promise<Attempt>
  /** The outcome of an attempt. */
  judge(delivery: DueRow, attempt: Attempt): Outcome
  log(attempt: Attempt): string
  /** The headers of an attempt that was signed at a time, with the secrets as they are now. */
  headers(receiver: ReceiverRow, message: Message, signedAt: number): Record<string, string>
}

const GONE = 410

export function createAttempts(deps: {
  runtime: Runtime
  client: Client
  secrets: Secrets
}): Attempts {
  const { runtime, client, secrets } = deps
  const { clock, random } = runtime

  /** Cache of opened secrets, per row read: opening one costs a third of a delivery. */
  const opened = new WeakMap<ReceiverRow, { current: string; previous: string | undefined }>()

  function open(receiver: ReceiverRow) {
    const known = opened.get(receiver)
    if (known) return known
    const { id, secret, previousSecret } = receiver
    const current = secrets.open(id, secret)
    const previous = previousSecret ? secrets.open(id, previousSecret) : undefined
    opened.set(receiver, { current, previous })
    return { current, previous }
  }

  function secretsOf(receiver: ReceiverRow): [string, string?] {
    const { current, previous } = open(receiver)
    const { previousUntil } = receiver
    const overlaps = previous !== undefined && previousUntil && previousUntil > clock.now()
    return overlaps ? [previous, current] : [current]
  }

  const headers: Attempts['headers'] = (receiver, { id, type, body }, timestamp) =>
    headersOf({ id, type, body, timestamp, secrets: secretsOf(receiver) })

  function log({ status, error, answer, signedAt, durationMs }: Attempt): string {
    const entry: AttemptLog = {
      at: clock.now().toISOString(),
      status,
      error,
      ...(signedAt !== undefined && { signed_at: signedAt }),
      ...(durationMs !== undefined && { duration_ms: Math.round(durationMs) }),
      ...(answer !== undefined && { answer }),
    }
    return JSON.stringify(entry)
  }

  return {
    headers,
    log,
    send(receiver, message) {
      // Wall time, because the receiver compares it with its own clock.
      const signedAt = Math.floor(clock.wallMs() / 1_000)
      const startedMs = clock.elapsedMs()
      const { body } = message
      const sent = { headers: headers(receiver, message, signedAt), body }
      return client.post(receiver.url, sent).then((exchange) => ({
        ...exchange,
        signedAt,
        durationMs: clock.elapsedMs() - startedMs,
      }))
    },
    judge({ id, webhook, attempts }, attempt) {
      const { status, error, retryAfter } = attempt
      const gone = status === GONE
      const base = { id, webhook, responseStatus: status, delaySeconds: 0, gone, log: log(attempt) }
      if (isSuccess(status)) return { ...base, state: 'delivered', error: null }
      const asked = readRetryAfter(retryAfter, clock.wallMs())
      const delayMs = retryDelayMs(attempts + 1, random.fraction(), asked)
      const word = error ?? 'status'
      if (delayMs === undefined || base.gone) return { ...base, state: 'failed', error: word }
      return { ...base, state: 'pending', error: word, delaySeconds: delayMs / 1_000 }
    },
  }
}

export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}
