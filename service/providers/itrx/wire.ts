import { type Answer, turnedAway } from '../http.ts'
import type { Placed, Seen } from '../marketplace.ts'
import {
  type Fields,
  fieldsOf,
  listOf,
  reasonOf,
  sunOfTrx,
  textOf,
  txidsOf,
  wholeOf,
} from '../reading.ts'

/** The documents show fields at the top; some copies of the service nest them under `data`. */
function bodyOf(json: unknown): Fields {
  const outer = fieldsOf(json)
  return { ...outer, ...fieldsOf(outer.data) }
}

/** Period 0 in `tiered_pricing` is one hour. */
const HOUR = 0n

export type IndexData = {
  unitPrice: bigint | undefined
  available: bigint | undefined
  minimum: bigint | undefined
  maximum: bigint | undefined
  /** In SUN; absent when the key is wrong, which is not an error there. */
  balance: bigint | undefined
  surcharge: { below: bigint; amount: bigint } | undefined
}

export function readIndexData(json: unknown): IndexData {
  const body = bodyOf(json)
  const tier = listOf(body.tiered_pricing)
    .map(fieldsOf)
    .find(({ period }) => wholeOf(period) === HOUR)
  const below = wholeOf(body.small_amount)
  const amount = sunOfTrx(body.small_addition)
  return {
    unitPrice: wholeOf(tier?.price),
    available: wholeOf(body.platform_avail_energy),
    minimum: wholeOf(body.minimum_order_energy),
    maximum: wholeOf(body.maximum_order_energy),
    balance: wholeOf(body.balance),
    surcharge: below && amount ? { below, amount } : undefined,
  }
}

/** SUN for one Energy, the surcharge of small orders not counted. */
export function readPrice(json: unknown, energy: bigint): bigint | undefined {
  const { price, total_price, addition } = bodyOf(json)
  const total = wholeOf(total_price)
  if (total === undefined) return wholeOf(price)
  const net = total - (wholeOf(addition) ?? 0n)
  return (net + energy - 1n) / energy
}

export function readPlaced(answer: Answer): Placed {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const away = turnedAway(answer.status)
  if (away) return { state: 'refused', reason: away }
  const body = bodyOf(answer.json)
  const errno = wholeOf(body.errno)
  if (errno === 0n) {
    const orderId = textOf(body.serial)
    if (orderId === undefined) return { state: 'unknown', reason: 'accepted without a serial' }
    const cost = wholeOf(body.amount)
    return { state: 'accepted', orderId, txids: [], ...(cost !== undefined && { cost }) }
  }
  const reason = reasonOf(body.message, body.detail, ...fieldReasons(body))
  const isRefusal = errno !== undefined || answer.status === 400
  return { state: isRefusal ? 'refused' : 'unknown', reason }
}

/** Bad parameters come as `{field: [reasons]}`. */
function fieldReasons(body: Fields): string[] {
  return Object.entries(body).flatMap(([name, reasons]) =>
    Array.isArray(reasons) ? [`${name}: ${reasonOf(...reasons)}`] : [],
  )
}

const DONE = 40n
/** Timed out before payment, ended with a refund, ended abnormally. */
const OVER = new Set([0n, 41n, 43n])
const MISSING = 404n

/** `byReference`: asked by our own id, where "missing" means that no order carries it. */
export function readSeen(answer: Answer, { byReference }: { byReference: boolean }): Seen {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const body = bodyOf(answer.json)
  const errno = wholeOf(body.errno)
  if (errno === MISSING && byReference) return { state: 'never_seen' }
  const orderId = textOf(body.order_no) ?? textOf(body.serial)
  const status = wholeOf(body.status)
  const isOrder = (errno ?? 0n) === 0n && orderId !== undefined && status !== undefined
  if (!isOrder) return { state: 'unknown', reason: reasonOf(body.message, body.detail) }
  const details = listOf(body.details).map(fieldsOf)
  const txids = txidsOf(details.map(({ delegate_hash }) => delegate_hash))
  if (OVER.has(status)) return { state: 'failed', orderId, txids, reason: `status ${status}` }
  // One page calls 30 fully successful, the table calls it preparing: only 40 with a hash counts.
  if (status !== DONE || txids.length === 0) return { state: 'pending', orderId }
  const cost = wholeOf(body.amount)
  return { state: 'delivered', orderId, txids, ...(cost !== undefined && { cost }) }
}
