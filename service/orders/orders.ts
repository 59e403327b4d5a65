import type { Refusal, Verbatim } from '@ergon/contract'
import type { Db, Tx } from '../db/index.ts'
import type { Outcome } from '../delivery/index.ts'
import type { Events } from '../events/index.ts'
import { coalesce, createLoop, type Loop } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { type BuyDeps, type Buyer, createBuy, type Wish } from './buy.ts'
import { DEADLINE_MS, DURATION_SECONDS, type Order } from './order.ts'
import { createPurchaseGroup } from './purchaseGroup.ts'
import { createSettle, type OnFinal } from './settle.ts'
import { findOrders, lockPending, readSelling, startOrders, writeSelling } from './store.ts'

export type Orders = {
  buy(buyer: Buyer, wish: Wish): Promise<Verbatim | Refusal>
  /** Undefined when it does not exist or belongs to somebody else. */
  find(account: string, id: string): Promise<Order | undefined>
  /** Participant of delivery: the outcome of a request that an order made. */
  onOutcome(tx: Tx, outcome: Outcome): Promise<void>
  selling(): Promise<{ enabled: boolean; reason: string | null }>
  setSelling(enabled: boolean, reason: string | null): Promise<void>
  loops: Loop[]
}

const BATCH = 100

type Deps = Omit<BuyDeps, 'purchases' | 'delivery'> & {
  delivery: () => BuyDeps['delivery']
  ledger: Ledger
  events: Events
  onFinal: readonly OnFinal[]
}

export function createOrders(given: Deps): Orders {
  const { db, doors, log } = given
  const start = createLoop({
    name: 'orders.start',
    everyMs: 250,
    log,
    async work() {
      const started = await startPending(db, given)
      if (started > 0) given.delivery().wake()
      return started
    },
  })
  const purchases = createPurchaseGroup({ db, ids: doors.ids, log, onAccepted: () => start.wake() })
  const deps: BuyDeps = {
    ...given,
    purchases,
    get delivery() {
      return given.delivery()
    },
  }
  const readOne = coalesce(async (ids: string[]) => {
    const rows = await db.query(findOrders, [ids])
    return new Map(rows.map((row) => [row.id, row]))
  })
  return {
    buy: createBuy(deps),
    async find(account, id) {
      const order = await readOne(id)
      return order?.account === account ? order : undefined
    },
    onOutcome: createSettle(given),
    selling: async () => (await db.query(readSelling))[0]!,
    setSelling: async (enabled, reason) => {
      await db.query(writeSelling, [enabled, reason])
    },
    loops: [start],
  }
}

/** PENDING to PROCESSING, with the delivery asked for in the same transaction. */
function startPending(db: Db, { doors, delivery }: Deps): Promise<number> {
  return db.transaction(async (tx) => {
    const pending = await tx.query(lockPending, [BATCH])
    if (pending.length === 0) return 0
    const ids = pending.map((order) => order.id)
    await tx.query(startOrders, [ids, doors.clock.now()])
    await delivery().open(
      tx,
      pending.map(({ id, amount, receiver, createdAt, trace }) => ({
        id,
        receiver,
        energy: amount,
        durationSeconds: DURATION_SECONDS,
        deadlineAt: new Date(createdAt.getTime() + DEADLINE_MS),
        trace,
      })),
    )
    return pending.length
  })
}
