import { type Refusal, refuse, Verbatim } from '@ergon/contract'
import { stringifyJson } from '@ergon/tron'
import { coalesce } from '../kernel/index.ts'
import { isFinal, type Order } from './order.ts'
import { orderReply } from './orderReply.ts'
import type { ReadOrders } from './readOrders.ts'

type Known = { order: Order; answer: Verbatim }

/** About 10 MB; the oldest make room. */
const KNOWN_MAX = 10_000

/**
 * Answers to `GET /order/{id}`. What an answer says changes with the order's state and not otherwise
 * (a trigger sees to it), so it is kept as it was sent. A final one is sent again. Of an order under
 * way the database is asked for those that are no longer in the state we know: most polls come while
 * nothing has happened.
 */
export function createOrderAnswers({ findMoved }: Pick<ReadOrders, 'findMoved'>) {
  const known = new Map<string, Known>()

  function remember(order: Order): Known {
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!)
    const made = { order, answer: new Verbatim(stringifyJson(orderReply(order))) }
    known.set(order.id, made)
    return made
  }

  const read = coalesce(async (ids: string[]) => {
    // As they are known when the question is asked: the answer is about these.
    const now = new Map<string, Known>()
    for (const id of ids) {
      const one = known.get(id)
      if (one) now.set(id, one)
    }
    const moved = await findMoved(
      ids,
      [...now.values()].map(({ order }) => order),
    )
    for (const order of moved) now.set(order.id, remember(order))
    return now
  })

  const answerTo = (account: string, found: Known | undefined): Verbatim | Refusal =>
    found?.order.account === account ? found.answer : refuse('order_not_found')

  return (account: string, id: string): Verbatim | Refusal | Promise<Verbatim | Refusal> => {
    const found = known.get(id)
    if (found && isFinal(found.order)) return answerTo(account, found)
    return read(id).then((now) => answerTo(account, now))
  }
}
