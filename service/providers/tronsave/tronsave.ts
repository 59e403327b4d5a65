import { stringifyJson, toBase58 } from '@ergon/tron'
import { type Access, createHttp, type Outside } from '../http.ts'
import type { LostOrder, Marketplace, Seen } from '../marketplace.ts'
import { least } from '../reading.ts'
import { answerJson, needed, positive } from '../trouble.ts'
import {
  fitting,
  type Listed,
  readBalance,
  readEstimate,
  readList,
  readPlaced,
  readSeen,
  readStatement,
} from './wire.ts'

const NAME = 'tronsave'
const HOUR_SECONDS = 3_600
/** The samples order 32,000; no smallest order is published for the API. */
const MINIMUM = 32_000n
/** The amount of the request for an offer, so that its stock covers the larger usual order. */
const USUAL_LARGEST = 131_000
const PAGE_SIZE = 50
const PAGES_MAX = 5
/** Its clock and ours, and the second that an order id is rounded to. */
const SKEW_MS = 10_000
/** An attempt is sent and answered within this time; later orders do not belong to it. */
const WINDOW_MS = 60_000

export function createTronSave(access: Access, outside: Outside): Marketplace {
  const http = createHttp(access, outside)
  const headers = { apikey: access.key }
  const get = (path: string) => http.ask({ method: 'GET', path, headers })
  const post = (path: string, fields: Record<string, unknown>) =>
    http.ask({
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json' },
      body: stringifyJson(fields),
    })

  /** Orders made since `from`, newest first; undefined when they cannot all be read. */
  async function listSince(from: number): Promise<Listed[] | undefined> {
    const found = new Map<string, Listed>()
    for (let page = 0; page < PAGES_MAX; page++) {
      const orders = readList(await get(`/v2/orders?page=${page}&pageSize=${PAGE_SIZE}`))
      if (!orders) return undefined
      for (const order of orders) found.set(order.id, order)
      const isLast = orders.length < PAGE_SIZE
      const isPast = orders.some(({ createdAt }) => createdAt !== undefined && createdAt < from)
      if (isLast || isPast) return [...found.values()]
    }
    return undefined
  }

  /** TronSave stores no reference of ours: list, match, and leave doubtful cases to an operator. */
  async function match(want: LostOrder): Promise<Seen> {
    const written = want.writtenAt.getTime()
    const from = written - SKEW_MS
    const orders = await listSince(from)
    if (!orders) return { state: 'unknown', reason: 'its orders cannot be listed' }
    const to = written + WINDOW_MS + SKEW_MS
    const { receiver, energy, claimed = [] } = want
    const free = fitting(orders, { receiver, energy, from, to }).filter(
      ({ id }) => !claimed.includes(id),
    )
    const [only, ...more] = free
    if (!only) return { state: 'never_seen' }
    return more.length === 0
      ? only.seen
      : { state: 'ambiguous', orderIds: free.map(({ id }) => id) }
  }

  return {
    name: NAME,
    callsPerSecond: 10,
    calls: { offer: 2, search: PAGES_MAX },
    queueMs: 20_000,
    async readOffer() {
      const [priced, account] = await Promise.all([
        post('/v2/estimate-buy-resource', {
          resourceType: 'ENERGY',
          resourceAmount: USUAL_LARGEST,
          unitPrice: 'MEDIUM',
          durationSec: HOUR_SECONDS,
        }),
        get('/v2/user-info'),
      ])
      const seen = readEstimate(answerJson(NAME, priced))
      const unitPrice = positive(NAME, 'price', seen.unitPrice)
      const balance = needed(NAME, 'balance', readBalance(answerJson(NAME, account)))
      const available = needed(NAME, 'available Energy', seen.available)
      return {
        unitPrice,
        minimum: MINIMUM,
        capacity: least(available, balance / unitPrice),
        float: balance,
      }
    },
    async readStatement(page) {
      const number = Number(page ?? 0)
      const answer = await get(`/v2/orders?page=${number}&pageSize=${PAGE_SIZE}`)
      return readStatement(NAME, answerJson(NAME, answer), { number, size: PAGE_SIZE })
    },
    readBalance: async () =>
      needed(NAME, 'balance', readBalance(answerJson(NAME, await get('/v2/user-info')))),
    async place({ receiver, energy, unitPrice }) {
      const order = {
        resourceType: 'ENERGY',
        receiver: toBase58(receiver),
        resourceAmount: energy,
        durationSec: HOUR_SECONDS,
        unitPrice,
        options: {
          allowPartialFill: true,
          // Filled in full or not created: we could not cancel an open order.
          onlyCreateWhenFulfilled: true,
          maxPriceAccepted: unitPrice,
          preventDuplicateIncompleteOrders: true,
        },
      }
      return readPlaced(await post('/v2/buy-resource', order))
    },
    async lookUp(want) {
      if (want.orderId === null) return match(want)
      return readSeen(await get(`/v2/order/${encodeURIComponent(want.orderId)}`))
    },
  }
}
