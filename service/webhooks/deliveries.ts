import { type Refusal, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import { isUuid, type Runtime } from '../kernel/index.ts'
import type { Attempts } from './attempt.ts'
import {
  type DeliveryRow,
  type EventDeliveryRow,
  findDelivery,
  type InspectedRow,
  inspectDelivery,
  keepMessage,
  listDeliveries,
  listOfEvents,
} from './deliveries.sql.ts'
import { noWebhook } from './endpoints.ts'
import { findEndpoint, insertDeliveries, readReceivers, touchQueues } from './store.ts'

export type Deliveries = {
  /** Of these events to all webhooks of the account, from a time on; at most 100. */
  ofEvents(account: string, events: readonly string[], from: Date): Promise<EventDeliveryRow[]>
  /** Newest first. */
  list(
    account: string,
    webhook: string,
    page: { limit: number; offset: number },
  ): Promise<DeliveryRow[] | Refusal>
  /** What was sent, and what came of each attempt. */
  inspect(account: string, webhook: string, delivery: string): Promise<Inspected | Refusal>
  /** The same event once more, as a delivery of its own. */
  resend(account: string, webhook: string, delivery: string): Promise<DeliveryRow | Refusal>
}

export type Inspected = InspectedRow & {
  url: string
  /** Of the last attempt, with the secrets as they are now; empty when nothing is known to have been sent. */
  headers: Record<string, string>
}

const noDelivery = refuse('not_found', { message: 'No such delivery of this webhook.' })

export function createDeliveries(deps: {
  db: Db
  runtime: Runtime
  attempts: Attempts
  onQueued(): void
}): Deliveries {
  const { db, runtime, attempts } = deps

  async function find(account: string, webhook: string) {
    if (!isUuid(webhook)) return undefined
    const [endpoint] = await db.query(findEndpoint, [account, webhook])
    return endpoint
  }

  return {
    ofEvents: (account, events, from) => db.query(listOfEvents, [account, events, from]),
    async list(account, webhook, { limit, offset }) {
      if (!(await find(account, webhook))) return noWebhook
      return db.query(listDeliveries, [webhook, limit, offset])
    },
    async inspect(account, webhook, delivery) {
      if (!(await find(account, webhook))) return noWebhook
      const [found] = isUuid(delivery) ? await db.query(inspectDelivery, [webhook, delivery]) : []
      const [receiver] = await db.query(readReceivers, [[webhook]])
      if (!found || !receiver) return noDelivery
      const signedAt = found.log?.findLast((one) => one.signed_at !== undefined)?.signed_at
      const headers = signedAt === undefined ? {} : attempts.headers(receiver, found, signedAt)
      return { ...found, url: receiver.url, headers }
    },
    async resend(account, webhook, delivery) {
      const endpoint = await find(account, webhook)
      if (!endpoint) return noWebhook
      if (!isUuid(delivery)) return noDelivery
      const again = runtime.ids.next()
      const sent = await db.transaction(async (tx) => {
        const [before] = await tx.query(findDelivery, [webhook, delivery])
        if (!before) return noDelivery
        if (endpoint.status === 'disabled') return disabled
        const now = runtime.clock.now()
        await tx.query(keepMessage, [before.eventId, now])
        await tx.query(insertDeliveries, [[again], [webhook], [before.eventId], now])
        await tx.query(touchQueues, [[webhook], now])
        const [made] = await tx.query(findDelivery, [webhook, again])
        return made!
      })
      deps.onQueued()
      return sent
    },
  }
}

export const disabled = refuse('validation_error', {
  message: 'The webhook is disabled. Set its status to active first.',
})
