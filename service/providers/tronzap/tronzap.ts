import { toBase58 } from '@ergon/tron'
import { type Access, createHttp, type Outside } from '../http.ts'
import type { Marketplace } from '../marketplace.ts'
import { complaintOf, least } from '../reading.ts'
import { answerJson, needed, positive } from '../trouble.ts'
import { signTronZap } from './sign.ts'
import { readBalance, readPlaced, readSeen, readService, readTotal } from './wire.ts'

const NAME = 'tronzap'
const HOURS = 1

/** Every call is a POST, reads too. */
export function createTronZap(access: Access, outside: Outside): Marketplace {
  const http = createHttp(access, outside)

  function post(path: string, fields: Record<string, unknown> = {}) {
    const body = JSON.stringify(fields)
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${access.key}`,
      'x-signature': signTronZap(access.secret, body),
    }
    return http.ask({ method: 'POST', path, headers, body })
  }

  return {
    name: NAME,
    callsPerSecond: 5,
    calls: { offer: 2, order: 2 },
    queueMs: 20_000,
    async readOffer() {
      const [services, account] = await Promise.all([post('/v1/services'), post('/v1/balance')])
      const tier = needed(NAME, 'tier of one hour', readService(answerJson(NAME, services)))
      const unitPrice = positive(NAME, 'price', tier.unitPrice)
      const balance = needed(NAME, 'balance', readBalance(answerJson(NAME, account)))
      const maximum = needed(NAME, 'largest order', tier.maximum)
      return {
        unitPrice,
        minimum: needed(NAME, 'smallest order', tier.minimum),
        capacity: least(maximum, balance / unitPrice),
        float: balance,
      }
    },
    // It has no list of transactions, only one by its id: charges are compared by the balance.
    readBalance: async () =>
      needed(NAME, 'balance', readBalance(answerJson(NAME, await post('/v1/balance')))),
    async place({ receiver, energy, unitPrice, reference }) {
      const params = { address: toBase58(receiver), amount: Number(energy), duration: HOURS }
      // An order cannot carry a maximum price, so the price is checked just before. This buys nothing.
      const priced = await post('/v1/calculate', { ...params, type: 'energy' })
      const total = priced.received ? readTotal(priced.json) : undefined
      if (total === undefined) return { state: 'refused', reason: complaintOf(priced) }
      if (total > unitPrice * energy) {
        return { state: 'refused', reason: `its price is ${total} SUN now` }
      }
      const order = { external_id: reference, service: 'energy', params }
      return readPlaced(await post('/v1/transaction/new', order))
    },
    // Look-up only: a repeated order could be charged twice.
    async lookUp({ orderId, reference }) {
      const byReference = orderId === null
      const asked = byReference ? { external_id: reference } : { id: orderId }
      return readSeen(await post('/v1/transaction/check', asked), { byReference })
    },
  }
}
