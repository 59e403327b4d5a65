import '../shared/styles.ts'
import { start } from '../shared/start.tsx'
import { queryClient, readAhead } from './queries.ts'
import { makeRouter } from './router.tsx'

void readAhead(location.pathname)
void start({ makeRouter, queryClient, stepUpPath: '/app/v1/session/step-up' })
