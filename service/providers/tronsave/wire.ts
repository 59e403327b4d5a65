import { type HexAddress, parseAddress } from '@ergon/tron'
import { type Answer, turnedAway } from '../http.ts'
import type { Charge, Placed, Seen, StatementPage } from '../marketplace.ts'
import {
  type Fields,
  fieldsOf,
  isReceiver,
  listOf,
  reasonOf,
  textOf,
  txidsOf,
  wholeOf,
} from '../reading.ts'
import { MarketplaceTrouble, needed } from '../trouble.ts'

export type Listed = {
  id: string
  receiver: unknown
  energy: bigint | undefined
  /** Milliseconds; from the id where no field says it. */
  createdAt: number | undefined
  seen: Seen
}

export function readEstimate(json: unknown): {
  unitPrice: bigint | undefined
  available: bigint | undefined
} {
  const data = dataOf(json)
  return { unitPrice: wholeOf(data.unitPrice), available: wholeOf(data.availableResource) }
}

export function readBalance(json: unknown): bigint | undefined {
  return wholeOf(dataOf(json).balance)
}

export function readPlaced(answer: Answer): Placed {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const away = turnedAway(answer.status)
  if (away) return { state: 'refused', reason: away }
  const orderId = textOf(dataOf(answer.json).orderId)
  if (orderId !== undefined && answer.status < 300) return { state: 'accepted', orderId, txids: [] }
  const reason = errorOf(answer.json)
  return { state: answer.status === 400 ? 'refused' : 'unknown', reason }
}

/** There is no state for failure: an order that is not filled stays open. */
export function readSeen(answer: Answer): Seen {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const data = dataOf(answer.json)
  const id = textOf(data.id)
  if (id === undefined || answer.status >= 300) {
    return { state: 'unknown', reason: errorOf(answer.json) }
  }
  return seenOf(id, data)
}

export function readList(answer: Answer): Listed[] | undefined {
  if (!answer.received || answer.status >= 300) return undefined
  const { data } = dataOf(answer.json)
  if (!Array.isArray(data)) return undefined
  return listOf(data)
    .map(fieldsOf)
    .flatMap((order) => {
      const id = textOf(order.id) ?? textOf(order._id)
      if (id === undefined) return []
      const energy = wholeOf(order.resourceAmount)
      const { receiver } = order
      return [{ id, receiver, energy, createdAt: createdAtOf(id, order), seen: seenOf(id, order) }]
    })
}

/** A page of its orders as what each was charged; `payoutAmount` is less than the price where a part was filled. */
export function readStatement(
  name: string,
  json: unknown,
  { number, size }: { number: number; size: number },
): StatementPage {
  const { data } = dataOf(json)
  if (!Array.isArray(data)) throw new MarketplaceTrouble(name, 'no list of orders in its answer')
  const charges = data.map((order) => chargeOf(name, fieldsOf(order)))
  const oldest = charges.reduce<Date | null>((old, { at }) => (old && old < at ? old : at), null)
  return { charges, oldest, next: data.length < size ? null : String(number + 1) }
}

function chargeOf(name: string, order: Fields): Charge {
  const orderId = needed(name, 'id of an order', textOf(order.id) ?? textOf(order._id))
  const amount = needed(name, `amount of order ${orderId}`, wholeOf(order.payoutAmount))
  const at = needed(name, `time of order ${orderId}`, createdAtOf(orderId, order))
  const receiver = parseAddress(textOf(order.receiver) ?? '')
  const energy = wholeOf(order.resourceAmount)
  return {
    entryId: orderId,
    orderId,
    amount,
    at: new Date(at),
    ...(receiver && { receiver }),
    ...(energy !== undefined && { energy }),
  }
}

/** Orders that may be ours: they carry no reference, so receiver, amount and time have to do. */
export function fitting(
  orders: readonly Listed[],
  want: { receiver: HexAddress; energy: bigint; from: number; to: number },
): Listed[] {
  return orders.filter(
    ({ receiver, energy, createdAt = want.from }) =>
      isReceiver(receiver, want.receiver) &&
      energy === want.energy &&
      createdAt >= want.from &&
      createdAt <= want.to,
  )
}

function seenOf(orderId: string, data: Fields): Seen {
  const txids = txidsOf(listOf(data.delegates).map((one) => fieldsOf(one).txid))
  const isFilled = wholeOf(data.fulfilledPercent) === 100n && wholeOf(data.remainAmount) === 0n
  if (!isFilled || txids.length === 0) return { state: 'pending', orderId }
  const cost = wholeOf(data.payoutAmount)
  return { state: 'delivered', orderId, txids, ...(cost !== undefined && { cost }) }
}

/** An id is 24 hex digits whose first eight are the second of its making (a MongoDB ObjectId). */
function createdAtOf(id: string, { createdAt, createAt }: Fields): number | undefined {
  const reasonOf = createdAt ?? createAt
  const time = typeof reasonOf === 'string' ? Date.parse(reasonOf) : Number(reasonOf ?? Number.NaN)
  if (Number.isFinite(time)) return time
  return /^[0-9a-f]{24}$/i.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1_000 : undefined
}

function dataOf(json: unknown): Fields {
  const { data, error } = fieldsOf(json)
  return error === true ? {} : fieldsOf(data)
}

/** `{message: "TSAS:<n> CODE text"}`, Fastify's own shape, or the code as a key on older pages. */
function errorOf(json: unknown): string {
  const { message, code } = fieldsOf(json)
  const byKey = Object.keys(fieldsOf(json)).find((key) => /^[A-Z]+(_[A-Z]+)+$/.test(key))
  return reasonOf(message ?? byKey ?? code)
}
