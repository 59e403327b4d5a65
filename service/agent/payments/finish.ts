import type { Chain } from '../../chain/index.ts'
import type { Db, Tx } from '../../db/index.ts'
import type { Events } from '../../events/index.ts'
import { type Runtime, sun } from '../../kernel/index.ts'
import type { Ledger } from '../../ledger/index.ts'
import type { OnFinal } from '../../orders/index.ts'
import { skipEvent } from './announce.ts'
import {
  endPayments,
  finishSolid,
  lockDead,
  lockUncompensated,
  markCompensated,
  markOrphaned,
} from './finish.sql.ts'
import { skipPayment } from './store.ts'

const BATCH = 200

/** Ends payments: by their order, and by the chain that confirms or loses their transfer. */
export function createFinishing(deps: {
  db: Db
  runtime: Runtime
  chain: Chain
  events: Events
  ledger: Ledger
}) {
  const { db, runtime, chain, events, ledger } = deps

  /** Participant of orders. The order's refund covers the charge of a failed sale. */
  const onFinal: OnFinal = async (tx, orders) => {
    await tx.query(endPayments, [
      orders.map(({ id }) => id),
      orders.map(({ status }) => (status === 'COMPLETED' ? 'completed' : 'failed')),
    ])
  }

  /** The transfer can never return: unsold payments are skipped, sold ones leave the totals. */
  const bury = (solidTime: Date) =>
    db.transaction(async (tx) => {
      const dead = await tx.query(lockDead, [solidTime, BATCH])
      if (dead.length === 0) return 0
      const now = runtime.clock.now()
      const undecided = dead.filter(({ status }) => status === 'processing')
      for (const { id } of undecided) await tx.query(skipPayment, [id, 'orphaned', now])
      await tx.query(markOrphaned, [dead.map(({ id }) => id), now])
      await emitSkips(tx, undecided)
      return dead.length
    })

  async function emitSkips(tx: Tx, payments: Parameters<typeof skipEvent>[0][]) {
    if (payments.length === 0) return
    await events.emit(
      tx,
      payments.map((payment) => skipEvent(payment, 'orphaned')),
    )
  }

  /**
   * Refunds the client when the Energy was delivered but the customer's transfer left the chain: we sold
   * before it was final. Failed sales were refunded with their order.
   */
  const compensate = () =>
    db.transaction(async (tx) => {
      const sales = await tx.query(lockUncompensated, [BATCH])
      if (sales.length === 0) return 0
      await tx.query(markCompensated, [sales.map(({ id }) => id)])
      await ledger.post(
        tx,
        sales.map(({ id, account, cost, txid }) => ({
          client: account,
          kind: 'adjustment' as const,
          reference: id,
          amount: sun(cost),
          counter: 'cost:goodwill' as const,
          description: `Charge given back: payment ${txid} left the chain`,
          trace: txid,
        })),
      )
      return sales.length
    })

  return {
    onFinal,
    async finish(): Promise<number> {
      const progress = await chain.progress()
      if (!progress) return 0
      const { solidNumber, solidTime } = progress
      const solid = await db.query(finishSolid, [solidNumber, runtime.clock.now(), BATCH])
      return solid.length + (await bury(solidTime)) + (await compensate())
    },
  }
}
