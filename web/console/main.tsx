import '../shared/styles.ts'
import { start } from '../shared/start.tsx'
import { queryClient } from './calls.ts'
import { makeRouter } from './router.tsx'

void start({ makeRouter, queryClient, stepUpPath: '/operator/v1/session/step-up' })
