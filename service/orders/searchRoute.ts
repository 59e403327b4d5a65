import { getOrderSearch, type HandledRoute, handle, refuse } from '@ergon/contract'
import { formatTrx, sun } from '../kernel/index.ts'
import { orderReply } from './orderReply.ts'
import type { Orders } from './orders.ts'

const DAY_MS = 86_400_000

/** The orders of the workspace's list, by what they are. */
export function orderSearchRoute({ orders }: { orders: Orders }): HandledRoute {
  return handle(getOrderSearch, async ({ account }, { query }) => {
    const [from, last] = [query.from, query.to].map(startOf)
    if (from === null || last === null) {
      return refuse('validation_error', { message: 'Give days such as 2026-11-18.' })
    }
    const found = await orders.findOwn(account, {
      page: query.page,
      pageSize: query.page_size,
      status: query.status,
      source: query.source,
      from,
      to: last && new Date(last.getTime() + DAY_MS),
      address: query.receiver_address,
    })
    return {
      orders: found.orders.map(orderReply),
      total: Number(found.total),
      energy: Number(found.energy),
      spent_trx: formatTrx(sun(found.spent)),
      is_whole: found.isWhole,
    }
  })
}

/** The beginning of a day; null when it is none. */
function startOf(day: string | undefined): Date | undefined | null {
  if (day === undefined) return undefined
  const at = new Date(day)
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(at.getTime()) ? at : null
}
