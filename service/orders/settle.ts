import type { Tx } from '../db/index.ts'
import type { Outcome } from '../delivery/index.ts'
import { formatTrx, type Runtime, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Announce } from './announce.ts'
import { chargeOf } from './order.ts'
import { completeOrders, lockProcessing } from './settle.sql.ts'
import { failOrders, type SettledRow } from './store.ts'

type Delivered = { order: SettledRow; txids: string[] }
type Failed = { order: SettledRow; reason: string }

/**
 * Ends orders: status, event and ledger in the transaction of their deliveries' outcomes. A second
 * outcome for the same order finds it final and changes nothing. The ledger comes last: nothing may
 * be locked after it.
 */
export function createSettle(deps: { runtime: Runtime; ledger: Ledger; announce: Announce }) {
  const { runtime, ledger, announce } = deps

  async function writeEnds(tx: Tx, delivered: Delivered[], failed: Failed[]): Promise<void> {
    const now = runtime.clock.now()
    if (delivered.length > 0) {
      const ids = delivered.map(({ order }) => order.id)
      await tx.query(completeOrders, [ids, delivered.map(({ txids }) => txids.join(' ')), now])
    }
    const errors = failed.map(({ order, reason }) => messageOf(order, reason))
    if (failed.length > 0) {
      const ids = failed.map(({ order }) => order.id)
      await tx.query(failOrders, [ids, errors, now])
    }
    await announce(tx, [
      ...delivered.map(({ order }) => ({ order, status: 'COMPLETED' as const, error: null })),
      ...failed.map(({ order }, place) => {
        return { order, status: 'FAILED' as const, error: errors[place]! }
      }),
    ])
  }

  async function refund(tx: Tx, failed: Failed[]): Promise<void> {
    if (failed.length > 1) {
      await ledger.lock(
        tx,
        failed.map(({ order }) => order.account),
      )
    }
    for (const { order } of failed) {
      const { id: reference, source, trace } = order
      const description = `Refund of order ${reference}`
      await ledger.refund(tx, { kind: chargeOf(source), reference, description, trace })
    }
  }

  return async (tx: Tx, outcomes: readonly Outcome[]): Promise<void> => {
    const ended = new Map(outcomes.map((outcome) => [outcome.id, outcome]))
    const orders = await tx.query(lockProcessing, [[...ended.keys()]])
    if (orders.length === 0) return
    const delivered: Delivered[] = []
    const failed: Failed[] = []
    for (const order of orders) {
      const outcome = ended.get(order.id)!
      if (outcome.state === 'delivered') delivered.push({ order, txids: outcome.txids })
      else failed.push({ order, reason: outcome.reason })
    }
    await writeEnds(tx, delivered, failed)
    await ledger.transfer(
      tx,
      delivered.map(({ order: { id, price } }) => ({
        kind: 'deliver',
        reference: id,
        from: 'escrow:orders',
        to: 'income:energy',
        amount: sun(price),
        description: `Order ${id} delivered`,
      })),
    )
    await refund(tx, failed)
  }
}

function messageOf({ price }: SettledRow, reason: string): string {
  return `${reason} You were not charged: ${formatTrx(price)} TRX are back on your balance.`
}
