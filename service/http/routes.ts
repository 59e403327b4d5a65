import { getRequests, type HandledRoute, handle } from '@ergon/contract'
import { isUuid } from '../kernel/index.ts'
import type { ApiRequests } from './apiRequests.ts'

const STATUSES = { '2xx': [200, 299], '4xx': [400, 499], '5xx': [500, 599] } as const
const EVERY_STATUS = [0, 999] as const

/** The log of API requests, for the workspace. */
export function requestRoutes(apiRequests: ApiRequests): HandledRoute[] {
  return [
    handle(getRequests, async ({ account }, { query }) => {
      const { status, route = '', before = '', limit } = query
      // An id that is none is older than everything.
      if (before !== '' && !isUuid(before)) return { requests: [], routes: [], has_more: false }
      const rows = await apiRequests.list(account, {
        status: status ? STATUSES[status] : EVERY_STATUS,
        route,
        before: before || null,
        limit: limit + 1,
      })
      return {
        requests: rows.slice(0, limit).map((row) => ({
          id: row.id,
          at: row.at.toISOString(),
          method: row.method,
          route: row.route,
          status: row.status,
          duration_ms: row.durationMs,
          request_id: row.request,
          refusal: row.refusal,
        })),
        routes: await apiRequests.routesOf(account),
        has_more: rows.length > limit,
      }
    }),
  ]
}
