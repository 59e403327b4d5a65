import type { Chain } from '../../chain/index.ts'
import { type Claim, createApart, type Db, type Tx } from '../../db/index.ts'
import type { Events } from '../../events/index.ts'
import { type Log, type Runtime, sun } from '../../kernel/index.ts'
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
  solidPayments,
} from './finish.sql.ts'
import { skipPayment } from './store.ts'

const BATCH = 200

/** Ends payments: by their order, and by the chain that confirms or loses their transfer. */
export function createFinishing(deps: {
  db: Db
  runtime: Runtime
  log: Log
  chain: Chain
  events: Events
  ledger: Ledger
}) {
  const { db, runtime, log, chain, events, ledger } = deps
  const apartOf = (kind: string) =>
    createApart({ db, clock: runtime.clock, log }, { loop: 'agent.finish', kind })
  const apart = apartOf('payment')
  const solidApart = apartOf('solid payment')

  /** Participant of orders. The order's refund covers the charge of a failed sale. */
  const onFinal: OnFinal = async (tx, orders) => {
    await tx.query(endPayments, [
      orders.map(({ id }) => id),
      orders.map(({ status }) => (status === 'COMPLETED' ? 'completed' : 'failed')),
    ])
  }

  /** The transfer can never return: unsold payments are skipped, sold ones leave the totals. */
  const bury = (solidTime: Date, { most, skip, took }: Claim) =>
    db.transaction(async (tx) => {
      const dead = await tx.query(lockDead, [solidTime, most, skip])
      if (dead.length === 0) return 0
      took(dead.map(({ id }) => id))
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
  const compensate = ({ most, skip, took }: Claim) =>
    db.transaction(async (tx) => {
      const sales = await tx.query(lockUncompensated, [most, skip])
      if (sales.length === 0) return 0
      took(sales.map(({ id }) => id))
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

  async function finishUpTo(solidNumber: number): Promise<number> {
    const now = runtime.clock.now()
    const skip = solidApart.waiting()
    const finished = await solidApart.bulk(
      () => db.query(finishSolid, [solidNumber, now, BATCH, skip, null]),
      () => db.query(solidPayments, [solidNumber, BATCH, skip]),
      (id) => db.query(finishSolid, [solidNumber, now, 1, [], id]),
    )
    return finished.flat().length
  }

  return {
    onFinal,
    async finish(): Promise<number> {
      const progress = await chain.progress()
      if (!progress) return 0
      const { solidNumber, solidTime } = progress
      const finished = await finishUpTo(solidNumber)
      const buried = await apart.claim(BATCH, (claim) => bury(solidTime, claim))
      const compensated = await apart.claim(BATCH, compensate)
      return [...buried, ...compensated].reduce((sum, count) => sum + count, finished)
    },
  }
}
