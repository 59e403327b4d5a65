import { start } from '../shared/start.tsx'
import { queryClient } from './calls.ts'
import { router } from './router.tsx'

void start({ router, queryClient, stepUpPath: '/operator/v1/session/step-up' })
