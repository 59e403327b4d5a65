import { type Answer, turnedAway } from '../http.ts'
import type { Placed, Seen } from '../marketplace.ts'
import { fieldsOf, reasonOf, textOf, txidsOf, wholeOf } from '../reading.ts'

/** CatFee's code for an unknown outcome. */
const OUTCOME_UNKNOWN = 9999n
const OK = 0n

/** Refusals that are about the order itself; an order under our id would have been answered instead. */
const ABOUT_THE_ORDER = /QUANTITY_TOO_|ADDRESS_NOT_ACTIVATED|INVALID_ADDRESS/i
const FAILED =
  /^(DELEGATE_FAIL|INSUFFICIENT_BALANCE|QUANTITY_TOO_HIGH|QUANTITY_TOO_LOW|ADDRESS_NOT_ACTIVATED|INVALID_ADDRESS)$/

type Order = { id: string; status: string; confirm: string; txids: string[]; cost?: bigint }

/** The total price in SUN: `data` is the bare number. */
export function readEstimate(json: unknown): bigint | undefined {
  const { code, data } = fieldsOf(json)
  return wholeOf(code) === OK ? wholeOf(data) : undefined
}

export function readBalance(json: unknown): bigint | undefined {
  const { code, data } = fieldsOf(json)
  return wholeOf(code) === OK ? wholeOf(fieldsOf(data).balance) : undefined
}

export function readPlaced(answer: Answer): Placed {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const away = turnedAway(answer.status)
  if (away) return { state: 'refused', reason: away }
  const { code, msg, sub_code, sub_msg, data } = fieldsOf(answer.json)
  const reason = reasonOf(sub_code, sub_msg ?? msg)
  const number = wholeOf(code)
  if (number === undefined) {
    // Parameters it does not take are 400 by status; anything else without a code is no answer.
    return { state: answer.status === 400 ? 'refused' : 'unknown', reason }
  }
  if (number === OUTCOME_UNKNOWN || (number >= 500n && number < 600n)) {
    return { state: 'unknown', reason }
  }
  if (number !== OK) return { state: 'refused', reason }
  const order = readOrder(data)
  if (!order) return { state: 'unknown', reason: 'accepted without an order id' }
  const { id, txids, cost } = order
  return { state: 'accepted', orderId: id, txids, ...(cost !== undefined && { cost }) }
}

/** The answer to GET /v1/order/{id}. We know the order, so an error is never "no such order". */
export function readSeen(answer: Answer): Seen {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const { code, msg, sub_msg, data } = fieldsOf(answer.json)
  const order = wholeOf(code) === OK ? readOrder(data) : undefined
  return order ? seenOf(order) : { state: 'unknown', reason: reasonOf(msg, sub_msg) }
}

/**
 * The answer to the same order sent again under the same id: the first order, where there is one. A
 * refusal that is not about the order (balance, key, limits) may have come before that was looked up.
 */
export function readRepeated(answer: Answer): Seen {
  const placed = readPlaced(answer)
  if (placed.state === 'accepted') return readSeen(answer)
  const isAbsent = placed.state === 'refused' && ABOUT_THE_ORDER.test(placed.reason)
  return isAbsent ? { state: 'never_seen' } : { state: 'unknown', reason: placed.reason }
}

function readOrder(data: unknown): Order | undefined {
  const fields = fieldsOf(data)
  const id = textOf(fields.id)
  if (id === undefined) return undefined
  const paid = wholeOf(fields.pay_amount_sun)
  const cost = paid === undefined ? undefined : paid + (wholeOf(fields.activate_amount_sun) ?? 0n)
  return {
    id,
    status: textOf(fields.status) ?? '',
    confirm: textOf(fields.confirm_status) ?? '',
    txids: txidsOf([fields.delegate_hash]),
    ...(cost !== undefined && { cost }),
  }
}

/** DELEGATE_SUCCESS alone is still pending: one in a thousand of those never reaches the chain. */
function seenOf({ id, status, confirm, txids, cost }: Order): Seen {
  const orderId = id
  if (FAILED.test(status) || confirm === 'DELEGATION_CONFIRMED_FAIL') {
    return { state: 'failed', orderId, txids, reason: FAILED.test(status) ? status : confirm }
  }
  if (confirm !== 'DELEGATION_CONFIRMED' || txids.length === 0) return { state: 'pending', orderId }
  return { state: 'delivered', orderId, txids, ...(cost !== undefined && { cost }) }
}
