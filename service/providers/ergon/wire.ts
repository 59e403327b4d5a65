import type { HexAddress } from '@ergon/tron'
import { type Answer, turnedAway } from '../http.ts'
import type { Placed, Seen } from '../marketplace.ts'
import {
  type Fields,
  fieldsOf,
  isReceiver,
  listOf,
  reasonOf,
  sunOfTrx,
  textOf,
  txidsOf,
  wholeOf,
} from '../reading.ts'

export function readEstimate(json: unknown): {
  total: bigint | undefined
  minimum: bigint | undefined
  maximum: bigint | undefined
} {
  const { total_price_sun, min_amount, max_amount } = fieldsOf(json)
  return {
    total: wholeOf(total_price_sun),
    minimum: wholeOf(min_amount),
    maximum: wholeOf(max_amount),
  }
}

/** The spendable balance: the balance less the AutoEnergy reserve, if the answer has it. */
export function readBalance(json: unknown): bigint | undefined {
  const { balance_trx, reserved_trx } = fieldsOf(json)
  const balance = sunOfTrx(balance_trx)
  return balance === undefined ? undefined : balance - (sunOfTrx(reserved_trx) ?? 0n)
}

const IN_FLIGHT = 409
/** The refusal of an instance that does not sell now; nothing was charged. */
const NOT_NOW = 'service_unavailable'

export function readPlaced(answer: Answer): Placed {
  if (!answer.received) {
    const { reason, response: words } = answer
    return errorOf(words) === NOT_NOW ? refused(words) : { state: 'unknown', reason }
  }
  const away = turnedAway(answer.status)
  if (away) return { state: 'refused', reason: away }
  const { order_id, total_price_sun } = fieldsOf(answer.json)
  const orderId = textOf(order_id)
  if (answer.status < 300 && orderId !== undefined) {
    const cost = wholeOf(total_price_sun)
    return { state: 'accepted', orderId, txids: [], ...(cost !== undefined && { cost }) }
  }
  const reason = detailOf(answer.json)
  const isRefusal = answer.status >= 400 && answer.status !== IN_FLIGHT
  return { state: isRefusal ? 'refused' : 'unknown', reason }
}

function refused(json: unknown): Placed {
  return { state: 'refused', reason: detailOf(json) }
}

/**
 * Reads the answer to a purchase that is always refused, sent with the key of an earlier one: either the
 * replay of the first answer, or the refusal, which means that the key is free.
 */
export function readProbe(
  answer: Answer,
  expected: string,
): 'free' | { orderId: string } | Unknown {
  const placed = readPlaced(answer)
  if (placed.state === 'accepted') return { orderId: placed.orderId }
  const isFree = answer.received && answer.status === 400 && errorOf(answer.json) === expected
  return isFree ? 'free' : { state: 'unknown', reason: placed.reason }
}

type Unknown = Extract<Seen, { state: 'unknown' }>

/** The order id is known, so even "Order not found" does not prove absence. */
export function readSeen(answer: Answer): Seen {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const order = fieldsOf(answer.json)
  const orderId = textOf(order.id)
  if (orderId === undefined || answer.status >= 300) {
    return { state: 'unknown', reason: detailOf(answer.json) }
  }
  const txids = txidsOf(listOf(order.delegation_txids))
  if (order.status === 'FAILED') {
    return { state: 'failed', orderId, txids, reason: reasonOf(order.error_message) }
  }
  if (order.status !== 'COMPLETED') return { state: 'pending', orderId }
  const cost = wholeOf(order.total_price_sun) ?? sunOfTrx(order.total_price_trx)
  return { state: 'delivered', orderId, txids, ...(cost !== undefined && { cost }) }
}

/** Ids of the orders on a page that fit receiver, amount and time; undefined when it is no page. */
export function readFitting(
  answer: Answer,
  want: { receiver: HexAddress; energy: bigint; from: number },
): string[] | undefined {
  if (!answer.received || answer.status >= 300) return undefined
  const { orders } = fieldsOf(answer.json)
  if (!Array.isArray(orders)) return undefined
  return orders
    .map(fieldsOf)
    .flatMap((order) => (fits(order, want) ? (textOf(order.id) ?? []) : []))
}

function fits(
  { receiver_address, resource_amount, created_at }: Fields,
  { receiver, energy, from }: { receiver: HexAddress; energy: bigint; from: number },
): boolean {
  const made = Date.parse(textOf(created_at) ?? '')
  return (
    isReceiver(receiver_address, receiver) &&
    wholeOf(resource_amount) === energy &&
    (Number.isNaN(made) || made >= from)
  )
}

/** `detail` is an object with `error` or `code`, or a sentence, or a list of what is malformed. */
function detailOf(json: unknown): string {
  const { detail } = fieldsOf(json)
  if (Array.isArray(detail)) return reasonOf(...detail.map((one) => fieldsOf(one).msg))
  if (typeof detail === 'string') return reasonOf(detail)
  return reasonOf(errorOf(json), fieldsOf(detail).message)
}

function errorOf(json: unknown): string | undefined {
  const { error, code } = fieldsOf(fieldsOf(json).detail)
  return textOf(error) ?? textOf(code)
}
