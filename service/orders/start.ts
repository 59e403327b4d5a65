import { type Claim, createApart, type Db } from '../db/index.ts'
import type { Delivery } from '../delivery/index.ts'
import type { Log, Runtime } from '../kernel/index.ts'
import { DEADLINE_MS, DURATION_SECONDS } from './order.ts'
import { lockPending, startOrders } from './start.sql.ts'

const BATCH = 100

export type Started = { id: string; account: string }

/** Moves orders from PENDING to PROCESSING and requests their deliveries in the same transaction. */
export function createStart(deps: { db: Db; runtime: Runtime; log: Log; delivery(): Delivery }) {
  const { db, runtime, log } = deps
  const of = { loop: 'orders.start', kind: 'order' }
  const apart = createApart({ db, clock: runtime.clock, log }, of)

  const start = ({ most, skip, took }: Claim): Promise<Started[]> =>
    db.transaction(async (tx) => {
      const pending = await tx.query(lockPending, [most, skip])
      if (pending.length === 0) return []
      const ids = pending.map((order) => order.id)
      took(ids)
      await tx.query(startOrders, [ids, runtime.clock.now()])
      await deps.delivery().open(
        tx,
        pending.map(({ id, amount, receiver, paidAt, trace }) => ({
          id,
          receiver,
          energy: amount,
          durationSeconds: DURATION_SECONDS,
          deadlineAt: new Date(paidAt.getTime() + DEADLINE_MS),
          trace,
        })),
      )
      return pending
    })

  return async (): Promise<Started[]> => (await apart.claim(BATCH, start)).flat()
}
