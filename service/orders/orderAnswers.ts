import { type Refusal, refuse, Verbatim } from '@ergon/contract'
import { stringifyJson } from '@ergon/tron'
import type { Db } from '../db/index.ts'
import { coalesce, isUuid } from '../kernel/index.ts'
import { isFinal, type Order } from './order.ts'
import { orderReply } from './orderReply.ts'
import { findMoved } from './store.ts'

type Known = { account: string; status: Order['status']; updatedAt: string; answer: Verbatim }

export type OrderAnswers = (
  account: string,
  id: string,
) => Verbatim | Refusal | Promise<Verbatim | Refusal>

/** About 10 MB; what was learnt longest ago makes room. */
const KNOWN_MAX = 10_000

/**
 * Answers to `GET /order/{id}`. What an answer says changes with the order's state and not otherwise
 * (a trigger sees to it), so it is kept as it was sent. A final one is sent again. Of an order under
 * way the database is asked whether it is still as we know it: most polls come while nothing has
 * happened.
 */
export function createOrderAnswers(db: Db): OrderAnswers {
  const known = new Map<string, Known>()

  function remember(order: Order): Known {
    const { id, account, status } = order
    known.delete(id)
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value!)
    const answer = new Verbatim(stringifyJson(orderReply(order)))
    const made = { account, status, updatedAt: order.updatedAt.toISOString(), answer }
    known.set(id, made)
    return made
  }

  const read = coalesce(async (ids: string[]) => {
    // As they are known when the question is asked: the answer is about these.
    const now = new Map<string, Known | undefined>(ids.map((id) => [id, known.get(id)]))
    const given = [...now.values()]
    const states = given.map((one) => one?.status ?? null)
    const times = given.map((one) => one?.updatedAt ?? null)
    for (const { asked, ...order } of await db.query(findMoved, [ids, states, times])) {
      // Null when it is gone: a commit that no standby had yet was lost with its server.
      const isThere = order.id !== null
      if (!isThere) known.delete(asked)
      now.set(asked, isThere ? remember(order) : undefined)
    }
    return now
  })

  const answerTo = (account: string, found: Known | undefined): Verbatim | Refusal =>
    found?.account === account ? found.answer : refuse('order_not_found')

  return (account, id) => {
    const found = known.get(id)
    if (found && isFinal(found)) return answerTo(account, found)
    if (!found && !isUuid(id)) return refuse('order_not_found')
    return read(id).then((now) => answerTo(account, now))
  }
}
