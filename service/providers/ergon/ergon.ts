import { stringifyJson, toBase58 } from '@ergon/tron'
import { type Access, createHttp, type Outside } from '../http.ts'
import type { LostOrder, Marketplace, Seen } from '../marketplace.ts'
import { divideUp, least } from '../reading.ts'
import { answerJson, needed, positive } from '../trouble.ts'
import { readStatement } from './statement.ts'
import { readBalance, readEstimate, readFitting, readPlaced, readProbe, readSeen } from './wire.ts'

const USUAL_ENERGY = 65_000n
/** A duration that no instance sells, so that a request with it never buys. */
const NEVER_SOLD = 'ask'
const NEVER_SOLD_ERROR = 'invalid_duration'
/** A key replays for 24 hours; one hour is a margin. */
const KEY_LIFE_MS = 23 * 3_600_000
const SKEW_MS = 60_000
const PAGE_SIZE = 100

/**
 * Another instance of this service as a marketplace. Its API has no look-up by key, and repeating the
 * purchase would buy if the first never arrived. So the key is sent with a purchase that is always
 * refused: an instance checks the key first and replays its first answer. A refusal alone is no proof
 * of absence: the list of orders must agree.
 */
export function createErgon(access: Access, outside: Outside, name = 'ergon'): Marketplace {
  const http = createHttp(access, outside)
  const headers = { 'x-api-key': access.key }
  const get = (path: string) => http.ask({ method: 'GET', path, headers })
  const buy = (key: string, fields: Record<string, unknown>) =>
    http.ask({
      method: 'POST',
      path: '/buy',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
      body: stringifyJson(fields),
    })

  async function askByKey({ reference, receiver, energy, writtenAt }: LostOrder) {
    const age = outside.clock.wallMs() - writtenAt.getTime()
    if (age > KEY_LIFE_MS) return 'free'
    const purchase = { receiver_address: toBase58(receiver), resource_amount: energy }
    return readProbe(await buy(reference, { ...purchase, duration: NEVER_SOLD }), NEVER_SOLD_ERROR)
  }

  /** If an order matches although the key is free, its owner is unknown and an operator has to decide. */
  async function confirmAbsence(want: LostOrder): Promise<Seen> {
    const { receiver, energy, writtenAt, claimed = [] } = want
    const query = new URLSearchParams({
      receiver_address: toBase58(receiver),
      page_size: String(PAGE_SIZE),
    })
    const from = writtenAt.getTime() - SKEW_MS
    const found = readFitting(await get(`/orders?${query}`), { receiver, energy, from })
    if (!found) return { state: 'unknown', reason: 'its orders cannot be listed' }
    const orderIds = found.filter((id) => !claimed.includes(id))
    return orderIds.length === 0 ? { state: 'never_seen' } : { state: 'ambiguous', orderIds }
  }

  const lookUpById = async (id: string) => readSeen(await get(`/order/${encodeURIComponent(id)}`))

  return {
    name,
    callsPerSecond: 10,
    calls: { offer: 2, search: 2 },
    queueMs: 10_000,
    async readOffer() {
      const [priced, account] = await Promise.all([
        get(`/estimate?resource_amount=${USUAL_ENERGY}`),
        get('/account'),
      ])
      const seen = readEstimate(answerJson(name, priced))
      const unitPrice = divideUp(positive(name, 'price', seen.total), USUAL_ENERGY)
      const balance = needed(name, 'balance', readBalance(answerJson(name, account)))
      const maximum = needed(name, 'largest order', seen.maximum)
      return {
        unitPrice,
        minimum: needed(name, 'smallest order', seen.minimum),
        capacity: least(maximum, balance / unitPrice),
        float: balance,
      }
    },
    async readStatement(cursor) {
      const query = new URLSearchParams({
        limit: String(PAGE_SIZE),
        ...(cursor !== null && { cursor }),
      })
      return readStatement(name, answerJson(name, await get(`/transactions?${query}`)))
    },
    readBalance: async () =>
      needed(name, 'balance', readBalance(answerJson(name, await get('/account')))),
    place: async ({ receiver, energy, unitPrice, reference }) =>
      readPlaced(
        await buy(reference, {
          receiver_address: toBase58(receiver),
          resource_amount: energy,
          max_price_sun: unitPrice * energy,
        }),
      ),
    async lookUp(want) {
      if (want.orderId !== null) return lookUpById(want.orderId)
      const found = await askByKey(want)
      if (found === 'free') return confirmAbsence(want)
      return 'orderId' in found ? lookUpById(found.orderId) : found
    },
  }
}
