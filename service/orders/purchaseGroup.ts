import { type Db, isTimeout, wasNeverSent, wasRefusedByServer } from '../db/index.ts'
import { assert, type Ids, type Log, nextTurn, type Sun } from '../kernel/index.ts'
import { type BuyRow, buyMany, buyOne } from './purchaseGroup.sql.ts'

/** A purchase that waits for the next group. */
export type Purchase = {
  id: string
  account: string
  key: string | undefined
  /** buy.ts has refused it already. With a key it joins all the same: the key may have an earlier answer. */
  refused: boolean
  amount: bigint
  receiver: string
  price: Sun
  priceTrx: string
  source: string
  at: Date
  trace: string
  description: string
}

export type PurchaseGroup = {
  /** Resolves after the commit, or with undefined when the queue is full. Rejects when the outcome is unknown. */
  join(purchase: Purchase): Promise<BuyRow | undefined>
}

/** Instead of a buyer's address: the wallet that is linked to the account when the order is written. */
export const LINKED_WALLET = null
const ROWS_MAX = 256
const ROWS_PER_ACCOUNT_MAX = 128
const WAITING_MAX = 2_500
/** Up to here the single-row function is cheaper than the set-based one. */
const ALONE_MAX = 2

type Waiting = {
  account: string
  values: unknown[]
  resolve(row: BuyRow): void
  reject(error: unknown): void
}

type Deps = { db: Db; ids: Ids; log: Log; onAccepted(): void }

/**
 * One group at a time, in one call; one or two purchases are made by a call each. Purchases that
 * arrive meanwhile form the next group. There is no timer: when idle, a group is one purchase.
 */
export function createPurchaseGroup(deps: Deps): PurchaseGroup {
  const { db, ids, log, onAccepted } = deps
  let waiting: Waiting[] = []
  let isBusy = false

  async function sendAll() {
    isBusy = true
    // Wait for purchases that have already arrived: otherwise the first would commit alone.
    await nextTurn()
    while (waiting.length > 0) {
      const { group, rest } = nextGroup(waiting)
      waiting = rest
      await buyGroup(group)
    }
    isBusy = false
  }

  async function buyGroup(group: Waiting[]): Promise<void> {
    if (group.length <= ALONE_MAX) {
      await Promise.all(group.map((one) => buyAlone(one)))
      return
    }
    try {
      const rows = await db.query(buyMany, columnsOf(group))
      assert(rows.length === group.length, 'a purchase got no outcome')
      if (rows.some(isAccepted)) onAccepted()
      for (const [place, one] of group.entries()) one.resolve(rows[place]!)
    } catch (error) {
      // After a lost connection the outcome is unknown. buy.ts looks up the purchases that have a key; a
      // client without a key must look at its orders.
      if (!wasRefusedByServer(error)) {
        for (const one of group) one.reject(error)
        return
      }
      // One bad row fails its whole group, so the purchases are made one by one.
      log.warn('group_split', { batch: group.length, error })
      await buyOneByOne(group, error)
    }
  }

  /** After a lock timeout the account's other purchases fail at once instead of waiting one by one. */
  async function buyOneByOne(group: Waiting[], groupError: unknown): Promise<void> {
    const stuck = new Map<string, unknown>()
    for (const one of group) {
      if (stuck.has(one.account)) {
        one.reject(stuck.get(one.account))
        continue
      }
      const error = await buyAlone(one, groupError)
      if (error !== undefined && isTimeout(error)) stuck.set(one.account, error)
    }
  }

  /**
   * Buys in its own transaction, so that no lock order is needed. The order keeps the id it had in the
   * group, so it is not made twice. Returns the error, if any.
   */
  async function buyAlone(
    { values, resolve, reject }: Waiting,
    groupError?: unknown,
  ): Promise<unknown> {
    try {
      const [row] = await db.query(buyOne, values)
      assert(row, 'a purchase got no outcome')
      if (isAccepted(row)) onAccepted()
      resolve(row)
      return undefined
    } catch (error) {
      // Nothing was sent now, so the error of the group is the one to report.
      reject(groupError !== undefined && wasNeverSent(error) ? groupError : error)
      return error
    }
  }

  return {
    join(purchase) {
      if (waiting.length >= WAITING_MAX) return Promise.resolve(undefined)
      // Computed now, while the database works on the previous group.
      const values = valuesOf(purchase, ids)
      const { account } = purchase
      return new Promise((resolve, reject) => {
        waiting.push({ account, values, resolve, reject })
        if (!isBusy) void sendAll()
      })
    },
  }
}

/** Takes purchases in order of arrival; those beyond the limits stay for the next group. */
function nextGroup(waiting: Waiting[]): { group: Waiting[]; rest: Waiting[] } {
  const group: Waiting[] = []
  const rest: Waiting[] = []
  const perAccount = new Map<string, number>()
  for (const one of waiting) {
    const { account } = one
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
    LINKED_WALLET,
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

function columnsOf(group: Waiting[]): unknown[][] {
  return group[0]!.values.map((_, place) => group.map(({ values }) => values[place]))
}

function isAccepted({ outcome }: BuyRow): boolean {
  return outcome === 'accepted'
}
