import type { Db } from '../db/index.ts'
import { assert, type Ids, type Log, nextTurn, type Sun } from '../kernel/index.ts'
import { type BuyRow, buyMany, buyOne } from './store.ts'

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
const WAITING_MAX = 2_500
const QUEUES = 2
/** Up to here the single-row function is cheaper than the set-based one. */
const ALONE_MAX = 2

type Waiting = {
  purchase: Purchase
  resolve(row: BuyRow): void
  reject(error: unknown): void
}

type Deps = { db: Db; ids: Ids; log: Log; onAccepted(): void }

/**
 * Two queues by account, so that one group is worked on while another waits for the disk. An
 * account's purchases are all in one of them: the groups of two queues never want the same lock.
 */
export function createPurchaseGroup(deps: Deps): PurchaseGroup {
  const queues = Array.from({ length: QUEUES }, () => createQueue(deps))
  return {
    join(purchase) {
      // The last digits of a UUIDv7 are random.
      const digits = Number.parseInt(purchase.account.slice(-4), 16)
      return queues[digits % QUEUES]!.join(purchase)
    },
  }
}

/**
 * One call per group; the next group starts when the previous one has committed. There is no timer:
 * when idle, a group is one purchase.
 */
function createQueue(deps: Deps): PurchaseGroup {
  const { db, ids, log, onAccepted } = deps
  let waiting: Waiting[] = []
  let busy = false

  async function drain() {
    busy = true
    while (waiting.length > 0) {
      // Purchases that are already here join: a group of one and then the others would commit twice.
      await nextTurn()
      const { group, rest } = nextGroup(waiting)
      waiting = rest
      await runGroup(group)
    }
    busy = false
  }

  async function runGroup(group: Waiting[]) {
    if (group.length <= ALONE_MAX) {
      await Promise.all(group.map(runAlone))
      return
    }
    try {
      const rows = await db.query(buyMany, columnsOf(group, ids))
      assert(rows.length === group.length, 'a purchase got no outcome')
      for (const [place, one] of group.entries()) one.resolve(rows[place]!)
      if (rows.some(isAccepted)) onAccepted()
    } catch (error) {
      // One bad row fails its whole group: the others must not pay for it.
      log.warn('group_split', { batch: group.length, error })
      for (const one of group) await runAlone(one)
    }
  }

  /** A transaction of its own, so that two of them need no order of locks. */
  async function runAlone({ purchase, resolve, reject }: Waiting) {
    try {
      const [row] = await db.query(buyOne, valuesOf(purchase, ids))
      assert(row, 'a purchase got no outcome')
      resolve(row)
      if (isAccepted(row)) onAccepted()
    } catch (error) {
      reject(error)
    }
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

/** In the order of the parameters of orders.buy_one; buy_many takes an array of each. */
function valuesOf(purchase: Purchase, ids: Ids): unknown[] {
  return [
    purchase.id,
    purchase.account,
    purchase.key ?? null,
    purchase.refused,
    purchase.amount,
    purchase.receiver,
    purchase.buyer,
    purchase.price,
    purchase.priceTrx,
    purchase.source,
    purchase.at.toISOString(),
    purchase.trace,
    purchase.description,
    ids.next(),
    ids.next(),
    ids.next(),
  ]
}

/** Places in valuesOf whose text may hold anything; in the others nothing needs a quote. */
const FREE_TEXT = new Set([2, 5, 6, 11, 12])

/** pg would look into every element for what to escape, which costs more than the rest of the call. */
function columnsOf(group: Waiting[], ids: Ids): unknown[] {
  const rows = group.map(({ purchase }) => valuesOf(purchase, ids))
  return rows[0]!.map((_, place) => {
    const column = rows.map((row) => row[place])
    return FREE_TEXT.has(place) ? column : `{${column.join(',')}}`
  })
}

function isAccepted({ outcome }: BuyRow): boolean {
  return outcome === 'accepted'
}
