import { start } from '../shared/start.tsx'
import { queryClient } from './queries.ts'
import { router } from './router.tsx'

void start({ router, queryClient, stepUpPath: '/app/v1/session/step-up' })
