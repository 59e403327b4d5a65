import { type Db, isTimeout, wasNeverSent, wasRefusedByServer } from '../db/index.ts'
import { assert, type Clock, type Ids, type Log, nextTurn, type Sun } from '../kernel/index.ts'
import { createLockedAccounts, type Waiting } from './lockedAccounts.ts'
import { type BuyRow, buyMany, buyOne } from './purchaseGroup.sql.ts'

/** A purchase that waits for the next group. */
export type Purchase = {
  id: string
  account: string
  key: string | undefined
  /** The quote that it redeems; such a purchase is made by buyAll.ts. */
  quote: string | undefined
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

/** On which connections, and how long to wait for an account. */
type How = { on: Db; waitMs: number; groupError?: unknown }

type Deps = {
  db: Db
  /** For groups that wait for an account, so that they take no connection from anybody else. */
  waitingDb: Db
  clock: Clock
  ids: Ids
  log: Log
  onAccepted(): void
  /** Told of each purchase that was made, for its trace; absent: nobody traces. */
  onBought?: ((bought: Bought) => void) | undefined
}

/** A purchase that was made, from its joining to the commit; `together` counts the purchases of its group. */
export type Bought = {
  order: string
  trace: string
  startMs: number
  endMs: number
  together: number
}

/**
 * One group at a time, in one call; one or two purchases are made by a call each. Purchases that
 * arrive meanwhile form the next group. There is no timer: when idle, a group is one purchase.
 * A group waits for no account: purchases of those that others hold are made apart (lockedAccounts.ts).
 */
export function createPurchaseGroup(deps: Deps): PurchaseGroup {
  const { db, waitingDb, clock, ids, log, onAccepted, onBought } = deps
  const lockedAccounts = createLockedAccounts({
    clock,
    buy: (group, waitMs) => buyTogether(group, { on: waitingDb, waitMs }),
    onFree: putFirst,
  })
  let waiting: Waiting[] = []
  let isBusy = false

  async function sendAll() {
    isBusy = true
    // Wait for purchases that have already arrived: otherwise the first would commit alone.
    await nextTurn()
    while (waiting.length > 0) {
      const { group, locked, rest } = nextGroup(waiting, lockedAccounts.has)
      waiting = rest
      lockedAccounts.add(locked)
      await buyFree(group)
    }
    isBusy = false
  }

  function putFirst(purchases: Waiting[]) {
    waiting.unshift(...purchases)
    if (!isBusy && waiting.length > 0) void sendAll()
  }

  async function buyFree(group: Waiting[]): Promise<void> {
    if (group.length === 0) return
    // Two of one account go together: alone, one would find it held by the other.
    const isOneEach = group.length <= ALONE_MAX && group[0]?.account !== group[1]?.account
    const parts = isOneEach ? group.map((one) => [one]) : [group]
    await Promise.all(
      parts.map(async (part) => lockedAccounts.add(await buyTogether(part, { on: db, waitMs: 0 }))),
    )
  }

  /**
   * Buys in one transaction and answers each purchase, except those whose account is locked: returns them.
   * An order keeps its id when it is tried again, so it is not made twice.
   */
  async function buyTogether(group: Waiting[], how: How): Promise<Waiting[]> {
    try {
      const rows = await buy(group, how)
      assert(rows.length === group.length, 'a purchase got no outcome')
      if (rows.some(isAccepted)) onAccepted()
      const ended = group.map((one, place) => ({ one, row: rows[place]! }))
      const answered = ended.filter(({ row }) => row.outcome !== 'locked')
      for (const { one, row } of answered) {
        if (onBought && isAccepted(row)) onBought(boughtOf(one, group.length))
      }
      // The next group is sent first: the database works on it while these are answered.
      void nextTurn().then(() => {
        for (const { one, row } of answered) one.resolve(row)
      })
      return ended.filter(({ row }) => row.outcome === 'locked').map(({ one }) => one)
    } catch (error) {
      const isAlone = group.length === 1
      if (isTimeout(error) && (isAlone || how.waitMs > 0)) return group
      // After a lost connection the outcome is unknown. buy.ts looks up the purchases that have a key; a
      // client without a key must look at its orders.
      if (isAlone || !wasRefusedByServer(error)) {
        // Nothing was sent now, so the error of the group is the one to report.
        const reported =
          how.groupError !== undefined && wasNeverSent(error) ? how.groupError : error
        for (const one of group) one.reject(reported)
        return []
      }
      // One bad row fails its whole group, so the purchases are made one by one.
      log.warn('group_split', { batch: group.length, error })
      return buyOneByOne(group, { ...how, groupError: error })
    }
  }

  function boughtOf({ values, joinedMs }: Waiting, together: number): Bought {
    const [order, trace] = [values[0] as string, values[TRACE] as string]
    return { order, trace, startMs: joinedMs, endMs: clock.now().getTime(), together }
  }

  /** After a purchase that found its account locked the account's others are not tried. */
  async function buyOneByOne(group: Waiting[], how: How): Promise<Waiting[]> {
    const locked: Waiting[] = []
    const accounts = new Set<string>()
    for (const one of group) {
      if (accounts.has(one.account) || (await buyTogether([one], how)).length > 0) {
        accounts.add(one.account)
        locked.push(one)
      }
    }
    return locked
  }

  return {
    join(purchase) {
      if (waiting.length >= WAITING_MAX) return Promise.resolve(undefined)
      // Computed now, while the database works on the previous group.
      const values = valuesOf(purchase, ids)
      const { account } = purchase
      return new Promise((resolve, reject) => {
        const joinedMs = onBought ? clock.now().getTime() : 0
        waiting.push({ account, values, joinedMs, resolve, reject })
        if (!isBusy) void sendAll()
      })
    },
  }
}

/** Takes purchases in order of arrival; those beyond the limits stay for the next group. */
function nextGroup(waiting: Waiting[], isLocked: (account: string) => boolean) {
  const group: Waiting[] = []
  const locked: Waiting[] = []
  const rest: Waiting[] = []
  const perAccount = new Map<string, number>()
  for (const one of waiting) {
    const { account } = one
    const count = perAccount.get(account) ?? 0
    if (isLocked(account)) {
      locked.push(one)
      continue
    }
    if (group.length >= ROWS_MAX || count >= ROWS_PER_ACCOUNT_MAX) {
      rest.push(one)
      continue
    }
    perAccount.set(account, count + 1)
    group.push(one)
  }
  return { group, locked, rest }
}

function buy(group: Waiting[], { on, waitMs }: How): Promise<BuyRow[]> {
  const [first] = group
  return group.length === 1
    ? on.query(buyOne, [...first!.values, waitMs])
    : on.query(buyMany, [...columnsOf(group), waitMs])
}

/** In the order of the parameters of orders.buy_one; buy_many takes an array of each. Both take wait_ms last. */
export function valuesOf(purchase: Purchase, ids: Ids): unknown[] {
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

/** Its place among the values above. */
const TRACE = 11

export function columnsOf(group: readonly { values: unknown[] }[]): unknown[][] {
  return group[0]!.values.map((_, place) => group.map(({ values }) => values[place]))
}

function isAccepted({ outcome }: BuyRow): boolean {
  return outcome === 'accepted'
}
