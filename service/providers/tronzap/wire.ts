import { type Answer, turnedAway } from '../http.ts'
import type { Placed, Seen } from '../marketplace.ts'
import {
  divideUp,
  type Fields,
  fieldsOf,
  listOf,
  reasonOf,
  sunOfTrx,
  textOf,
  txidsOf,
  unitPriceOfThousand,
  wholeOf,
} from '../reading.ts'

const OK = 0n
const NOT_FOUND = 20n
const INTERNAL = 500n
const HOURS = 1n

export type Service = {
  unitPrice: bigint | undefined
  minimum: bigint | undefined
  maximum: bigint | undefined
}

/** The tier of one hour. */
export function readService(json: unknown): Service | undefined {
  const tier = listOf(resultOf(json)?.energy)
    .map(fieldsOf)
    .find(({ duration }) => wholeOf(duration) === HOURS)
  return (
    tier && {
      unitPrice: unitPriceOf(tier),
      minimum: wholeOf(tier.min_amount ?? tier.min_energy),
      maximum: wholeOf(tier.max_amount ?? tier.max_energy),
    }
  )
}

/** The unit of `price` is told in two ways; the price of a whole pack leaves nothing to tell. */
function unitPriceOf({ price, price_65k }: Fields): bigint | undefined {
  const pack = sunOfTrx(price_65k)
  return pack ? divideUp(pack, 65_000n) : unitPriceOfThousand(price)
}

export function readBalance(json: unknown): bigint | undefined {
  return sunOfTrx(resultOf(json)?.balance)
}

/** Everything the order would cost, activation included, in SUN. */
export function readTotal(json: unknown): bigint | undefined {
  return sunOfTrx(resultOf(json)?.total)
}

export function readPlaced(answer: Answer): Placed {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const away = turnedAway(answer.status)
  if (away) return { state: 'refused', reason: away }
  const { code, key, error } = fieldsOf(answer.json)
  const number = wholeOf(code)
  const reason = reasonOf(key, error)
  if (number === undefined || number === INTERNAL) return { state: 'unknown', reason }
  if (number !== OK) return { state: 'refused', reason }
  const order = resultOf(answer.json) ?? {}
  const orderId = textOf(order.id)
  if (orderId === undefined) return { state: 'unknown', reason: 'accepted without an id' }
  const cost = sunOfTrx(order.amount)
  const txids = hashesOf(order)
  return { state: 'accepted', orderId, txids, ...(cost !== undefined && { cost }) }
}

/** `byReference`: asked by our own id, where "not found" means that no order carries it. */
export function readSeen(answer: Answer, { byReference }: { byReference: boolean }): Seen {
  if (!answer.received) return { state: 'unknown', reason: answer.reason }
  const { code, key, error } = fieldsOf(answer.json)
  if (wholeOf(code) === NOT_FOUND && byReference) return { state: 'never_seen' }
  const order = resultOf(answer.json) ?? {}
  const orderId = textOf(order.id)
  if (orderId === undefined) return { state: 'unknown', reason: reasonOf(key, error) }
  const status = (textOf(order.status) ?? '').toLowerCase()
  const txids = hashesOf(order)
  if (/fail|refund|cancel|expire|error/.test(status)) {
    return { state: 'failed', orderId, txids, reason: status }
  }
  if (status !== 'success' || txids.length === 0) return { state: 'pending', orderId }
  const cost = sunOfTrx(order.amount)
  return { state: 'delivered', orderId, txids, ...(cost !== undefined && { cost }) }
}

/** One hash as a rule; a list, or several in one text, is read as well. */
function hashesOf({ hash }: Fields): string[] {
  return txidsOf(Array.isArray(hash) ? hash : (textOf(hash) ?? '').split(/[\s,;]+/))
}

function resultOf(json: unknown): Fields | undefined {
  const { code, result } = fieldsOf(json)
  return wholeOf(code) === OK ? fieldsOf(result) : undefined
}
