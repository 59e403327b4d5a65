import { type Refusal, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import { createLoop, isUuid, type Log, type Loop, type Runtime } from '../kernel/index.ts'
import {
  type DeliveryRow,
  findDelivery,
  keepMessage,
  listDeliveries,
  pruneDeliveries,
  pruneEndpoints,
  pruneMessages,
  pruneRemoved,
} from './deliveries.sql.ts'
import { noWebhook } from './endpoints.ts'
import { findEndpoint, insertDeliveries, touchQueues } from './store.ts'

export type Deliveries = {
  /** Newest first. */
  list(
    account: string,
    webhook: string,
    page: { limit: number; offset: number },
  ): Promise<DeliveryRow[] | Refusal>
  /** The same event once more, as a delivery of its own. */
  resend(account: string, webhook: string, delivery: string): Promise<DeliveryRow | Refusal>
  pruning: Loop
}

const KEPT_MS = 30 * 86_400_000
const PRUNE_BATCH = 1_000
const noDelivery = refuse('not_found', { message: 'No such delivery of this webhook.' })

export function createDeliveries(deps: {
  db: Db
  runtime: Runtime
  log: Log
  onQueued(): void
}): Deliveries {
  const { db, runtime, log } = deps

  async function find(account: string, webhook: string) {
    if (!isUuid(webhook)) return undefined
    const [endpoint] = await db.query(findEndpoint, [account, webhook])
    return endpoint
  }

  async function prune(): Promise<number> {
    const before = new Date(runtime.clock.now().getTime() - KEPT_MS)
    const gone = await db.query(pruneDeliveries, [before, PRUNE_BATCH])
    const removed = await db.query(pruneRemoved, [PRUNE_BATCH])
    await db.query(pruneEndpoints)
    if (gone.length > 0) return gone.length + removed.length
    const messages = await db.query(pruneMessages, [before, PRUNE_BATCH])
    return removed.length + messages.length
  }

  return {
    async list(account, webhook, { limit, offset }) {
      if (!(await find(account, webhook))) return noWebhook
      return db.query(listDeliveries, [webhook, limit, offset])
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
    pruning: createLoop({ name: 'webhooks.prune', everyMs: 60_000, log, work: prune }),
  }
}

const disabled = refuse('validation_error', {
  message: 'The webhook is disabled. Set its status to active first.',
})
