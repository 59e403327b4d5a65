import type { FetchQueryOptions } from '@tanstack/react-query'
import { start } from '../shared/start.tsx'
import { accountQuery, overviewQueries, queryClient } from './queries.ts'
import { router } from './router.tsx'

// Asked for with the session, not after it.
const isOverview = location.pathname === '/overview'
for (const query of isOverview ? overviewQueries : [accountQuery]) {
  void queryClient.prefetchQuery(query as object as FetchQueryOptions)
}

void start({ router, queryClient, stepUpPath: '/app/v1/session/step-up' })
