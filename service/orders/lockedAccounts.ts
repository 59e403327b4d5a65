import { type Clock, createDeadlines } from '../kernel/index.ts'
import type { BuyRow } from './purchaseGroup.sql.ts'

/** A purchase whose client waits for the answer. */
export type Waiting = {
  account: string
  values: unknown[]
  /** When it joined; 0 when nobody traces it. */
  joinedMs: number
  resolve(row: BuyRow): void
  reject(error: unknown): void
}

/** Purchases of accounts that other transactions hold. */
export type LockedAccounts = {
  /** Whether purchases of this account wait: later ones join them, in their order. */
  has(account: string): boolean
  add(purchases: Waiting[]): void
}

/** How long a purchase waits for its account. */
const WAIT_MS_MAX = 2_000
/** Groups that wait at once, each on a connection of its own. */
export const WAITING_GROUPS_MAX = 4
const ROWS_MAX = 128
const QUEUED_MAX = 2_500

type Deps = {
  clock: Clock
  /** Buys for one account, waiting at most this long for it. Returns the purchases it could not answer. */
  buy(group: Waiting[], waitMs: number): Promise<Waiting[]>
  /** Further purchases of an account that was free again. */
  onFree(purchases: Waiting[]): void
}

/**
 * One group per account waits for it, at most four at once; the accounts beyond are queued. A purchase that
 * got no turn, or not its account, within two seconds is answered `locked`: nothing was written.
 */
export function createLockedAccounts({ clock, buy, onFree }: Deps): LockedAccounts {
  // In the order of their turns. An account is here while its purchases wait, also those in the database.
  const queues = new Map<string, Waiting[]>()
  const underWay = new Set<string>()
  const sinceMs = new Map<Waiting, number>()
  const deadlines = createDeadlines<Waiting>(WAIT_MS_MAX, dropQueued)

  function startNext() {
    for (const [account, queue] of queues) {
      if (underWay.size >= WAITING_GROUPS_MAX) return
      if (!underWay.has(account)) void waitFor(account, queue.splice(0, ROWS_MAX))
    }
  }

  async function waitFor(account: string, group: Waiting[]): Promise<void> {
    underWay.add(account)
    const locked = await buy(group, Math.max(1, leftMs(group[0]!)))
    underWay.delete(account)
    const queue = queues.get(account)!
    queues.delete(account)
    if (locked.length === 0) {
      for (const one of [...group, ...queue]) forget(one)
      onFree(queue)
    } else {
      tryAgain(account, group, locked, queue)
    }
    startNext()
  }

  /** The first has waited as long as it may. The others have their turn after the other accounts. */
  function tryAgain(account: string, group: Waiting[], locked: Waiting[], queue: Waiting[]) {
    for (const one of group) {
      if (!locked.includes(one)) forget(one)
      else if (one === group[0] || leftMs(one) <= 0) refuseLocked(one)
    }
    const again = [...locked.filter((one) => sinceMs.has(one)), ...queue]
    if (again.length > 0) queues.set(account, again)
  }

  /** A purchase whose group is in the database is left to that. */
  function dropQueued(one: Waiting) {
    const queue = queues.get(one.account)
    const place = queue?.indexOf(one) ?? -1
    if (!queue || place < 0) return
    queue.splice(place, 1)
    if (queue.length === 0 && !underWay.has(one.account)) queues.delete(one.account)
    refuseLocked(one)
  }

  function leftMs(one: Waiting): number {
    return Math.ceil(sinceMs.get(one)! + WAIT_MS_MAX - clock.elapsedMs())
  }

  function refuseLocked(one: Waiting) {
    forget(one)
    one.resolve({ outcome: 'locked', response: null, balance: null })
  }

  function forget(one: Waiting) {
    deadlines.end(one)
    sinceMs.delete(one)
  }

  function queueUp(one: Waiting) {
    if (sinceMs.size >= QUEUED_MAX) return refuseLocked(one)
    sinceMs.set(one, clock.elapsedMs())
    deadlines.begin(one)
    const queue = queues.get(one.account)
    if (queue) queue.push(one)
    else queues.set(one.account, [one])
  }

  return {
    has: (account) => queues.has(account),
    add(purchases) {
      if (purchases.length === 0) return
      for (const one of purchases) queueUp(one)
      startNext()
    },
  }
}
