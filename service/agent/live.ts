import type { Db } from '../db/index.ts'
import { type Clock, createLoop, type Log, type Loop } from '../kernel/index.ts'
import type { Orders } from '../orders/index.ts'
import { type LiveRow, listLive } from './live.sql.ts'
import type { PaymentStatus } from './payment.ts'

/** A payment as shown to its payer. */
export type LivePayment = {
  txid: string
  amount: bigint
  units: bigint
  energy: bigint
  status: PaymentStatus
  skipReason: string | null
  delegations: string[]
  usableUntil: Date | null
}

export type Live = {
  /** Calls `send` with the payer's payments of the last hour and with every change, until ended. */
  follow(whose: Payer, send: (payment: LivePayment) => void): () => void
  loop: Loop
}

type Payer = { account: string; configId: string; payer: string }
type Follower = { send(payment: LivePayment): void; sent: Map<string, LivePayment> }
type Watch = Payer & { followers: Set<Follower>; known: Map<string, LivePayment> }

const LOOK_MS = 500
const SHOWN_MS = 60 * 60_000
/** Newest payments of one payer that are shown. */
const SHOWN_MAX = 20

/**
 * One query for all followers on this node, none without followers. No change is lost: each query is
 * compared with what was sent before.
 */
export function createLive(deps: { db: Db; clock: Clock; log: Log; orders: Orders }): Live {
  const { db, clock, log, orders } = deps
  const watches = new Map<string, Watch>()

  async function look(): Promise<number> {
    const watched = [...watches.values()]
    loop.notice(watched.length > 0)
    if (watched.length === 0) return 0
    const rows = await db.query(listLive, [
      watched.map(({ configId }) => configId),
      watched.map(({ payer }) => payer),
      new Date(clock.now().getTime() - SHOWN_MS),
      SHOWN_MAX,
    ])
    const byWatch = Map.groupBy(rows, keyOf)
    for (const watch of watched) await tell(watch, byWatch.get(keyOf(watch)) ?? [])
    return 0
  }

  async function tell(watch: Watch, rows: LiveRow[]) {
    const known = new Map<string, LivePayment>()
    for (const row of rows) {
      const before = watch.known.get(row.id)
      known.set(row.id, before?.status === row.status ? before : await shown(watch.account, row))
    }
    watch.known = known
    for (const follower of watch.followers) {
      for (const [id, payment] of known) {
        if (follower.sent.get(id) === payment) continue
        follower.sent.set(id, payment)
        follower.send(payment)
      }
    }
  }

  async function shown(account: string, row: LiveRow): Promise<LivePayment> {
    const { txid, amount, units, energy, status, skipReason, orderId } = row
    const payment = { txid, amount, units, energy, status, skipReason }
    if (status !== 'completed') return { ...payment, delegations: [], usableUntil: null }
    const order = (await orders.find(account, orderId!))!
    return { ...payment, delegations: order.txids, usableUntil: await orders.usableUntil(order) }
  }

  const loop = createLoop({ name: 'agent.live', everyMs: LOOK_MS, log, work: look })
  return {
    loop,
    follow(whose, send) {
      const key = keyOf(whose)
      const watch = watches.get(key) ?? { ...whose, followers: new Set(), known: new Map() }
      watches.set(key, watch)
      const follower = { send, sent: new Map() }
      watch.followers.add(follower)
      loop.notice(true)
      loop.wake()
      return () => {
        watch.followers.delete(follower)
        if (watch.followers.size === 0 && watches.get(key) === watch) watches.delete(key)
      }
    },
  }
}

function keyOf({ configId, payer }: { configId: string; payer: string }): string {
  return `${configId} ${payer}`
}
