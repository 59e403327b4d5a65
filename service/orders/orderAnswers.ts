import { type Refusal, refuse, Verbatim } from '@ergon/contract'
import { stringifyJson } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import { isUuid } from '../kernel/index.ts'
import { isFinal, type Order } from './order.ts'
import { orderReply } from './orderReply.ts'
import type { ReadOrders } from './readOrders.ts'

type Final = {
  account: string
  answer: Verbatim
  /** Timeline of the database at the read: after a fail-over the order may be lost. */
  timeline: number
}

export type OrderAnswers = (account: string, id: string) => Promise<Verbatim | Refusal>

/** About 10 MB. */
const FINAL_MAX = 10_000

/**
 * Answers to `GET /order/{id}`. Final orders are cached: a trigger refuses any change to them. Open
 * orders are read for each request, in one query for all requests that wait together.
 */
export function createOrderAnswers(
  { timeline: timelineOf }: Pick<Db, 'timeline'>,
  { findAny }: Pick<ReadOrders, 'findAny'>,
): OrderAnswers {
  const finals = new Map<string, Final>()

  function keep(order: Order, final: Final) {
    // Evict the oldest entry.
    if (finals.size >= FINAL_MAX) finals.delete(finals.keys().next().value!)
    finals.set(order.id, final)
  }

  return async (account, id) => {
    const timeline = timelineOf()
    const final = finals.get(id)
    if (final?.timeline === timeline) {
      return final.account === account ? final.answer : refuse('order_not_found')
    }
    const order = isUuid(id) ? await findAny(id) : undefined
    if (!order) return refuse('order_not_found')
    const answer = new Verbatim(stringifyJson(orderReply(order)))
    if (isFinal(order)) keep(order, { account: order.account, answer, timeline })
    return order.account === account ? answer : refuse('order_not_found')
  }
}
