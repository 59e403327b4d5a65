import { toBase58 } from '@ergon/tron'
import { type Access, createHttp, type Outside } from '../http.ts'
import type { Marketplace } from '../marketplace.ts'
import { complaintOf, least } from '../reading.ts'
import { answerJson, needed, positive } from '../trouble.ts'
import { canonicalJson, signItrx } from './sign.ts'
import { readIndexData, readPlaced, readPrice, readSeen } from './wire.ts'

const NAME = 'itrx'

export function createItrx(access: Access, outside: Outside): Marketplace {
  const http = createHttp(access, outside)
  const get = (path: string) =>
    http.ask({ method: 'GET', path, headers: { 'api-key': access.key } })

  function post(path: string, fields: Record<string, string | number>) {
    const body = canonicalJson(fields)
    const at = String(Math.floor(outside.clock.wallMs() / 1_000))
    const headers = {
      'content-type': 'application/json',
      'api-key': access.key,
      timestamp: at,
      signature: signItrx(access.secret, { at, body }),
    }
    return http.ask({ method: 'POST', path, headers, body })
  }

  return {
    name: NAME,
    callsPerSecond: 5,
    calls: { order: 2 },
    queueMs: 20_000,
    async readOffer() {
      const seen = readIndexData(answerJson(NAME, await get('/index-data')))
      const unitPrice = positive(NAME, 'price', seen.unitPrice)
      // With a wrong key the answer only lacks the balance.
      const balance = needed(NAME, 'balance (is the key right?)', seen.balance)
      const available = needed(NAME, 'available Energy', seen.available)
      return {
        unitPrice,
        minimum: needed(NAME, 'smallest order', seen.minimum),
        capacity: least(available, seen.maximum ?? available, balance / unitPrice),
        float: balance,
        ...(seen.surcharge && { surcharge: seen.surcharge }),
      }
    },
    // It has no list of orders, only one order by its number: charges are compared by the balance.
    readBalance: async () =>
      needed(NAME, 'balance', readIndexData(answerJson(NAME, await get('/index-data'))).balance),
    async place({ energy, receiver, reference, unitPrice }) {
      // An order cannot carry a maximum price, so the price is checked just before. This buys nothing.
      const priced = await get(`/order/price?period=1H&energy_amount=${energy}`)
      const price = priced.received ? readPrice(priced.json, energy) : undefined
      if (price === undefined) return { state: 'refused', reason: complaintOf(priced) }
      if (price > unitPrice) return { state: 'refused', reason: `its price is ${price} SUN now` }
      return readPlaced(
        await post('/order', {
          energy_amount: Number(energy),
          period: '1H',
          receive_address: toBase58(receiver),
          out_trade_no: reference,
        }),
      )
    },
    async lookUp({ orderId, reference }) {
      const byReference = orderId === null
      const name = byReference ? 'out_trade_no' : 'serial'
      const query = new URLSearchParams({ [name]: orderId ?? reference })
      return readSeen(await get(`/order/query?${query}`), { byReference })
    },
    async reclaim(orderId) {
      await post('/order/reclaim', { serial: orderId })
    },
  }
}
