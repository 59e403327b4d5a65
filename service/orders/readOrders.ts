import type { Db } from '../db/index.ts'
import { batched } from '../kernel/index.ts'
import type { Order, OrderStatus } from './order.ts'
import {
  countOrders,
  countPending,
  countSince,
  findMatching,
  findOrders,
  findOwn,
  listBuyers,
  listByNumber,
  listSales,
  type OutcomeDay,
  outcomesByDay,
  type RecentRow,
  recentStates,
  type SaleRow,
  type SalesHour,
  salesByHour,
  searchByReceiver,
  searchOrders,
} from './readOrders.sql.ts'

export type OrderPage = { orders: Order[]; total: bigint }

export type OrderQuery = {
  /** From 1. */
  page: number
  pageSize: number
  /** Part of the receiver's or the buyer's address, in any case; empty for all orders. */
  address: string
}

/** An operator's search over all accounts. */
export type OrderSearch = {
  status?: OrderStatus | undefined
  account?: string | undefined
  receiver?: string | undefined
  /** The last id of the page before. */
  before?: string | undefined
  limit: number
}

export type OwnFilter = Omit<OrderQuery, 'address'> & {
  status?: OrderStatus | undefined
  source?: string | undefined
  /** From this moment on, before that one. */
  from?: Date | undefined
  to?: Date | undefined
  address?: string | undefined
}

export type ReadOrders = ReturnType<typeof createReadOrders>

/** How many of an account's newest orders are watched for changes. */
const RECENT = 20
const ORDERS_LOOKED_AT = 100_000
const SALES_PAGE = 5_000
/** Orders that a search looks through itself. The filing is seconds behind the purchases. */
const NEWEST = 20_000

export function createReadOrders(db: Db) {
  const readOne = batched(async (ids: string[]) => {
    const rows = await db.query(findOrders, [ids])
    const found = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => found.get(id))
  })

  return {
    async find(account: string, id: string): Promise<Order | undefined> {
      const order = await readOne(id)
      return order?.account === account ? order : undefined
    },

    /** Of any account, for the public proof. */
    async findCompleted(id: string): Promise<Order | undefined> {
      const order = await readOne(id)
      return order?.status === 'COMPLETED' ? order : undefined
    },

    /** Of any account, for operators. */
    findAny: (id: string): Promise<Order | undefined> => readOne(id),

    /** Newest first, over all accounts: for operators. */
    search({ status, account, receiver, before, limit }: OrderSearch): Promise<Order[]> {
      const of = [status ?? null, account ?? null]
      if (receiver === undefined) return db.query(searchOrders, [...of, before ?? null, limit])
      return db.query(searchByReceiver, [...of, receiver, before ?? null, limit, NEWEST])
    },

    pending: async () => (await db.query(countPending))[0]!,

    /** Orders that were made since a time, by status. */
    countSince: (since: Date) => db.query(countSince, [since]),

    async list(account: string, { page, pageSize, address }: OrderQuery): Promise<OrderPage> {
      // bigint: page 10^15 of 100 exceeds what a number holds exactly.
      const skip = (BigInt(page) - 1n) * BigInt(pageSize)
      const { total, numbers } = address
        ? await matching(account, address, skip, pageSize)
        : await all(account, skip, pageSize)
      if (numbers.length === 0) return { orders: [], total }
      return { orders: await db.query(listByNumber, [account, numbers]), total }
    },

    /** One account's orders by what they are, with their sums. */
    async findOwn(account: string, filter: OwnFilter) {
      const { status, source, from, to, address, page, pageSize } = filter
      const of = [status ?? null, source ?? null, from ?? null, to ?? null]
      const skip = Math.min((page - 1) * pageSize, NEWEST)
      const like = address ? address.toLowerCase() : null
      const [[found], [all]] = await Promise.all([
        db.query(findOwn, [account, ...of, like, skip, pageSize, NEWEST]),
        db.query(countOrders, [account]),
      ])
      const { numbers, ...sums } = found!
      const orders = numbers.length > 0 ? await db.query(listByNumber, [account, numbers]) : []
      return { ...sums, orders, isWhole: all!.total <= BigInt(NEWEST) }
    },

    /** Sales of all accounts since a time, by hour of the day. */
    salesByHour: (since: Date): Promise<SalesHour[]> =>
      db.query(salesByHour, [since, ORDERS_LOOKED_AT]),

    /** Completed orders of all accounts in that time, page by page. */
    async *soldBetween(from: Date, until: Date): AsyncGenerator<SaleRow> {
      for (let after: string | null = null; ; ) {
        const rows: SaleRow[] = await db.query(listSales, [after, from, until, SALES_PAGE])
        yield* rows
        if (rows.length < SALES_PAGE) return
        after = rows.at(-1)!.id
      }
    },

    async buyers(from: Date, until: Date): Promise<string[]> {
      return (await db.query(listBuyers, [from, until])).map(({ account }) => account)
    },

    recentStates: (accounts: string[]): Promise<RecentRow[]> =>
      db.query(recentStates, [accounts, RECENT]),

    outcomesByDay: (account: string, since: Date): Promise<OutcomeDay[]> =>
      db.query(outcomesByDay, [account, since, ORDERS_LOOKED_AT]),
  }

  /** Numbers are gapless and orders are never removed, so the highest number is the count. */
  async function all(account: string, skip: bigint, size: number) {
    const [row] = await db.query(countOrders, [account])
    const { total } = row!
    const numbers: (bigint | string)[] = []
    for (let number = total - skip; number > 0n && numbers.length < size; number--) {
      numbers.push(number)
    }
    return { total, numbers }
  }

  async function matching(account: string, address: string, skip: bigint, size: number) {
    // Addresses are base58: a filter with any other character (also `%` and `_`) matches none.
    if (!/^[0-9A-Za-z]+$/.test(address)) return { total: 0n, numbers: [] }
    const [row] = await db.query(findMatching, [account, address.toLowerCase(), skip, size])
    return row!
  }
}
