import type { Db } from '../db/index.ts'
import { assert, type Ids, type Log, type Sun } from '../kernel/index.ts'
import { type BuyRow, buyMany } from './store.ts'

/** A purchase that waits for the next group. */
export type Purchase = {
  id: string
  account: string
  key: string | undefined
  /** It was refused without the database, but with a key it may still be a replay. */
  refused: boolean
  amount: bigint
  receiver: string
  buyer: string
  price: Sun
  priceTrx: string
  source: string
  at: Date
  trace: string
  description: string
}

export type PurchaseGroup = {
  /** Resolves after the commit. Undefined when the queue is full. */
  join(purchase: Purchase): Promise<BuyRow | undefined>
}

const ROWS_MAX = 256
const ROWS_PER_ACCOUNT_MAX = 128
const WAITING_MAX = 5_000

type Waiting = {
  purchase: Purchase
  resolve(row: BuyRow): void
  reject(error: unknown): void
}

/**
 * One queue, one call per group; the next group starts when the previous one has committed. There
 * is no timer: when idle, a group is one purchase.
 */
export function createPurchaseGroup(deps: {
  db: Db
  ids: Ids
  log: Log
  onAccepted(): void
}): PurchaseGroup {
  const { db, ids, log, onAccepted } = deps
  let waiting: Waiting[] = []
  let busy = false

  async function drain() {
    busy = true
    while (waiting.length > 0) {
      const { group, rest } = nextGroup(waiting)
      waiting = rest
      await runGroup(group)
    }
    busy = false
  }

  async function runGroup(group: Waiting[]) {
    try {
      const rows = await callBuyMany(group.map((one) => one.purchase))
      for (const [place, one] of group.entries()) one.resolve(rows[place]!)
      if (rows.some((row) => row.outcome === 'accepted')) onAccepted()
    } catch (error) {
      if (group.length === 1) return group[0]!.reject(error)
      // One bad row fails its whole group: the others must not pay for it.
      log.warn('group_split', { batch: group.length, error })
      for (const one of group) await runGroup([one])
    }
  }

  async function callBuyMany(purchases: Purchase[]): Promise<BuyRow[]> {
    const column = <T>(pick: (purchase: Purchase) => T) => purchases.map(pick)
    const rows = await db.query(buyMany, [
      column((p) => p.id),
      column((p) => p.account),
      column((p) => p.key ?? null),
      column((p) => p.refused),
      column((p) => p.amount),
      column((p) => p.receiver),
      column((p) => p.buyer),
      column((p) => p.price),
      column((p) => p.priceTrx),
      column((p) => p.source),
      column((p) => p.at),
      column((p) => p.trace),
      column((p) => p.description),
      column(() => ids.next()),
      column(() => ids.next()),
      column(() => ids.next()),
    ])
    assert(rows.length === purchases.length, 'a purchase got no outcome')
    return rows
  }

  return {
    join(purchase) {
      if (waiting.length >= WAITING_MAX) return Promise.resolve(undefined)
      return new Promise((resolve, reject) => {
        waiting.push({ purchase, resolve, reject })
        if (!busy) void drain()
      })
    },
  }
}

/** In order of arrival; what exceeds the bounds stays for the next. */
function nextGroup(waiting: Waiting[]): { group: Waiting[]; rest: Waiting[] } {
  const group: Waiting[] = []
  const rest: Waiting[] = []
  const perAccount = new Map<string, number>()
  for (const one of waiting) {
    const { account } = one.purchase
    const count = perAccount.get(account) ?? 0
    if (group.length >= ROWS_MAX || count >= ROWS_PER_ACCOUNT_MAX) {
      rest.push(one)
      continue
    }
    perAccount.set(account, count + 1)
    group.push(one)
  }
  return { group, rest }
}
