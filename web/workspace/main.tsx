import { start } from '../shared/start.tsx'
import { accountQuery, overviewQuery, queryClient } from './queries.ts'
import { router } from './router.tsx'

// Asked for with the session, not after it.
void queryClient.prefetchQuery(accountQuery)
if (location.pathname === '/overview') void queryClient.prefetchQuery(overviewQuery)

void start({ router, queryClient, stepUpPath: '/app/v1/session/step-up' })
