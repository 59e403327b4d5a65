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
}

export type Attempts = {
  /** Signs and sends, once. Throws at once where a secret cannot be opened; never rejects. */
  send(receiver: ReceiverRow, message: Pick<DueRow, 'id' | 'type' | 'body'>): Promise<Exchange>
  /** The outcome of an exchange. */
  judge(delivery: DueRow, exchange: Exchange): Outcome
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

  return {
    send(receiver, { id, type, body }) {
      // Wall time, because the receiver compares it with its own clock.
      const timestamp = Math.floor(clock.wallMs() / 1_000)
      const headers = headersOf({ id, type, body, timestamp, secrets: secretsOf(receiver) })
      return client.post(receiver.url, { headers, body })
    },
    judge({ id, webhook, attempts }, { status, error, retryAfter }) {
      const base = { id, webhook, responseStatus: status, delaySeconds: 0, gone: status === GONE }
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
