import { type Refusal, refuse } from '@ergon/contract'
import type { Db } from '../db/index.ts'
import { isUuid, type Runtime } from '../kernel/index.ts'
import { type DeliveryRow, findDelivery, keepMessage, listDeliveries } from './deliveries.sql.ts'
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
}

const noDelivery = refuse('not_found', { message: 'No such delivery of this webhook.' })

export function createDeliveries(deps: { db: Db; runtime: Runtime; onQueued(): void }): Deliveries {
  const { db, runtime } = deps

  async function find(account: string, webhook: string) {
    if (!isUuid(webhook)) return undefined
    const [endpoint] = await db.query(findEndpoint, [account, webhook])
    return endpoint
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
  }
}

const disabled = refuse('validation_error', {
  message: 'The webhook is disabled. Set its status to active first.',
})
