export { sendRefusal } from './answer.ts'
export { type ApiRequests, createApiRequests, retention } from './apiRequests.ts'
export { keyGuard, loopbackGuard, publicGuard } from './guards.ts'
export { createGuessLimit } from './guessLimit.ts'
export { mountLive } from './live.ts'
export { sendMissing } from './missing.ts'
export { type Guard, mount } from './mount.ts'
export {
  measureGauges,
  measurePools,
  measureReconciliation,
  measureRequestLog,
  measureRequests,
  mountOperations,
} from './operations.ts'
export { apiSilentMs, createRateLimit, type RateLimit } from './rateLimit.ts'
export { createReadiness } from './readiness.ts'
export { requestRoutes } from './routes.ts'
export { createServer } from './server.ts'
export { sessionGuard, signInGuard } from './sessionGuard.ts'
export { createStreams, type Streams } from './streams.ts'
export type { RequestTraces } from './traceRequests.ts'
export { traceRequests } from './traceRequests.ts'
export {
  createTraces,
  type Span,
  type SpanContext,
  spanIdOf,
  type Traces,
  traceOf,
} from './traces.ts'
