import { toBase58 } from '@ergon/tron'
import { type Access, createHttp, type Outside } from '../http.ts'
import type { MarketOrder, Marketplace } from '../marketplace.ts'
import { complaintOf, divideUp, least } from '../reading.ts'
import { answerJson, needed, positive } from '../trouble.ts'
import { signCatFee } from './sign.ts'
import { readBalance, readEstimate, readPlaced, readRepeated, readSeen } from './wire.ts'

const NAME = 'catfee'
const MINIMUM = 65_000n
/** Used by other clients of CatFee, which publishes neither a largest order nor its stock. */
const MAXIMUM = 2_000_000n
/**
 * How long a lost order may be repeated. CatFee has no look-up by our id: repeating the order is the
 * only way to ask, and it buys if the first never arrived.
 */
const REPEAT_MS = 45_000

export function createCatFee(access: Access, outside: Outside): Marketplace {
  const http = createHttp(access, outside)

  function ask(method: 'GET' | 'POST', path: string) {
    const at = new Date(outside.clock.wallMs()).toISOString()
    const headers = {
      'content-type': 'application/json',
      'cf-access-key': access.key,
      'cf-access-timestamp': at,
      'cf-access-sign': signCatFee(access.secret, { at, method, path: http.signedPath(path) }),
    }
    return http.ask({ method, path, headers })
  }

  const estimate = (energy: bigint) => ask('GET', `/v1/estimate?quantity=${energy}&duration=1h`)
  const order = (want: MarketOrder) => ask('POST', orderPath(want))

  return {
    name: NAME,
    callsPerSecond: 5,
    calls: { offer: 2, order: 2 },
    queueMs: 20_000,
    async readOffer() {
      const [priced, account] = await Promise.all([estimate(MINIMUM), ask('GET', '/v1/account')])
      const total = positive(NAME, 'price', readEstimate(answerJson(NAME, priced)))
      const balance = needed(NAME, 'balance', readBalance(answerJson(NAME, account)))
      const unitPrice = divideUp(total, MINIMUM)
      return {
        unitPrice,
        minimum: MINIMUM,
        capacity: least(MAXIMUM, balance / unitPrice),
        float: balance,
      }
    },
    // It has no list of orders, only one order by its id: charges are compared by the balance.
    readBalance: async () =>
      needed(NAME, 'balance', readBalance(answerJson(NAME, await ask('GET', '/v1/account')))),
    async place(want) {
      // An order cannot carry a maximum price, so the price is checked just before. This buys nothing.
      const priced = await estimate(want.energy)
      const total = priced.received ? readEstimate(priced.json) : undefined
      if (total === undefined) return { state: 'refused', reason: complaintOf(priced) }
      if (total > want.unitPrice * want.energy) {
        return { state: 'refused', reason: `its price is ${total} SUN now` }
      }
      return readPlaced(await order(want))
    },
    async lookUp(want) {
      if (want.orderId !== null) {
        return readSeen(await ask('GET', `/v1/order/${encodeURIComponent(want.orderId)}`))
      }
      const age = outside.clock.wallMs() - want.writtenAt.getTime()
      if (want.wanted === false || age > REPEAT_MS) {
        return { state: 'unknown', reason: 'asking again might buy' }
      }
      return readRepeated(await order(want))
    },
  }
}

/** `activate=false`: otherwise an address that is not activated would cost more. */
function orderPath({ energy, receiver, reference }: MarketOrder): string {
  const query = new URLSearchParams({
    quantity: String(energy),
    receiver: toBase58(receiver),
    duration: '1h',
    client_order_id: reference,
    activate: 'false',
  })
  return `/v1/order?${query}`
}
