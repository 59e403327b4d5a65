import { type Db, isCrowded, isUnreached, plainArray, Unsettled } from '../db/index.ts'
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
const GROUPS_MAX = 2
/** Up to here the single-row function is cheaper than the set-based one. */
const ALONE_MAX = 2

type Waiting = {
  account: string
  values: unknown[]
  resolve(row: BuyRow): void
  reject(error: unknown): void
}

/** Tells those who wait what became of their purchases. */
type Answer = () => void

type Deps = { db: Db; ids: Ids; log: Log; onAccepted(): void }

/**
 * One call per group. The next is sent when the last has committed, before the purchases of that one
 * are answered; or behind it, as soon as it is as large: then it lies at the database when that one ends.
 * There is no timer: when idle, a group is one purchase.
 */
export function createPurchaseGroup(deps: Deps): PurchaseGroup {
  const { db, ids, log, onAccepted } = deps
  let waiting: Waiting[] = []
  let isGathering = false
  let underWay = 0
  let lastSize = 0

  function isDue(): boolean {
    if (underWay === 0) return waiting.length > 0
    // A purchase in a smaller group costs more: it would not pay to send one just because it can be.
    const isLarge = waiting.length >= lastSize && waiting.length > ALONE_MAX
    return isLarge && underWay < GROUPS_MAX
  }

  /** Purchases that are already here join: a group of one and then the others would commit twice. */
  async function gather() {
    isGathering = true
    await nextTurn()
    isGathering = false
    if (isDue()) void send()
  }

  async function send() {
    const { group, rest } = nextGroup(waiting)
    waiting = rest
    lastSize = group.length
    underWay += 1
    const answer = await buyGroup(group)
    underWay -= 1
    if (isDue()) {
      void send()
      // The turn after this one: by then the group is on its way to the database.
      await nextTurn()
    }
    answer()
  }

  async function buyGroup(group: Waiting[]): Promise<Answer> {
    if (group.length <= ALONE_MAX) {
      return joined(await Promise.all(group.map((one) => buyAlone(one))))
    }
    try {
      const rows = await db.lane.query(buyMany, columnsOf(group))
      assert(rows.length === group.length, 'a purchase got no outcome')
      if (rows.some(isAccepted)) onAccepted()
      return () => {
        for (const [place, one] of group.entries()) one.resolve(rows[place]!)
      }
    } catch (error) {
      // Nobody is there, or nobody can know yet what became of the group: then nothing is bought either.
      const isNobodyThere = isUnreached(error) && !isCrowded(error)
      if (isNobodyThere || error instanceof Unsettled) {
        return joined(group.map((one) => () => one.reject(error)))
      }
      // One bad row fails its whole group, and the others must not pay for it; nor must anybody because
      // there was no room for the lane.
      log.warn('group_split', { batch: group.length, error })
      const answers: Answer[] = []
      for (const one of group) answers.push(await buyAlone(one, error))
      return joined(answers)
    }
  }

  /**
   * A transaction of its own, so that two of them need no order of locks. Its order's id is the one it
   * had in the group: if the group was committed after all, it is not made twice.
   */
  async function buyAlone({ values, resolve, reject }: Waiting, before?: unknown): Promise<Answer> {
    try {
      const [row] = await db.query(buyOne, values)
      assert(row, 'a purchase got no outcome')
      if (isAccepted(row)) onAccepted()
      return () => resolve(row)
    } catch (error) {
      // That nothing was sent now says nothing of what was sent before.
      const cause = before !== undefined && isUnreached(error) ? before : error
      return () => reject(cause)
    }
  }

  return {
    join(purchase) {
      if (waiting.length >= WAITING_MAX) return Promise.resolve(undefined)
      // Made now, while the database works on the group before.
      const values = valuesOf(purchase, ids)
      const { account } = purchase
      return new Promise((resolve, reject) => {
        waiting.push({ account, values, resolve, reject })
        if (!isGathering && isDue()) void gather()
      })
    },
  }
}

function joined(answers: readonly Answer[]): Answer {
  return () => {
    for (const answer of answers) answer()
  }
}

/** In order of arrival; what exceeds the bounds stays for the next. */
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

function columnsOf(group: Waiting[]): unknown[] {
  return group[0]!.values.map((_, place) => {
    const column = group.map(({ values }) => values[place])
    return FREE_TEXT.has(place) ? column : plainArray(column)
  })
}

function isAccepted({ outcome }: BuyRow): boolean {
  return outcome === 'accepted'
}
