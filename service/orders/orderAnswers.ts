import { type Refusal, refuse, Verbatim } from '@ergon/contract'
import { stringifyJson } from '@ergon/tron'
import { type Db, plainArray } from '../db/index.ts'
import { confirmed, isUuid } from '../kernel/index.ts'
import { isFinal, type Order } from './order.ts'
import { orderReply } from './orderReply.ts'
import { findMoved, findMovedIds } from './store.ts'

type Known = {
  account: string
  status: Order['status']
  updatedAt: string
  answer: Verbatim
  /** Of the database, when it was last confirmed. */
  timeline: number
}

export type OrderAnswers = (
  account: string,
  id: string,
) => Verbatim | Refusal | Promise<Verbatim | Refusal>

/** About 10 MB. */
const KNOWN_MAX = 10_000

/**
 * Answers to `GET /order/{id}`. What an answer says changes with the order's state and not otherwise
 * (a trigger sees to it), so it is kept as it was sent. A final one is sent again, unless another
 * server has taken over, which may not have it. Of an order under way the database is asked whether it
 * is still as we know it: most polls come while nothing has happened.
 */
export function createOrderAnswers(db: Db): OrderAnswers {
  const orders = confirmed(findMovedOrders, { most: KNOWN_MAX })

  async function findMovedOrders(ids: string[], known: (Known | undefined)[]) {
    const states = known.map((one) => one?.status)
    const times = known.map((one) => one?.updatedAt)
    const values = [ids, states, times].map(plainArray)
    // Most of the time none has. One that we do not know has, if there is such an order at all.
    const mayBeNone = !known.includes(undefined)
    if (mayBeNone && (await db.query(findMovedIds, values)).length === 0) return []
    const moved = await db.query(findMoved, values)
    // Null when it is gone: a commit that no standby had yet was lost with its server.
    return moved.map(
      ({ asked, ...order }) => [asked, order.id === null ? undefined : knownOf(order)] as const,
    )
  }

  const answerTo = (account: string, found: Known | undefined): Verbatim | Refusal =>
    found?.account === account ? found.answer : refuse('order_not_found')

  return (account, id) => {
    const found = orders.known(id)
    const timeline = db.timeline()
    if (found?.timeline === timeline && isFinal(found)) return answerTo(account, found)
    if (!found && !isUuid(id)) return refuse('order_not_found')
    return orders.read(id).then((now) => {
      if (now) now.timeline = timeline
      return answerTo(account, now)
    })
  }
}

function knownOf(order: Order): Known {
  const { account, status } = order
  const answer = new Verbatim(stringifyJson(orderReply(order)))
  return { account, status, updatedAt: order.updatedAt.toISOString(), answer, timeline: 0 }
}
