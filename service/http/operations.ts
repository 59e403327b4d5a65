import { type EnergyBounds, openApi, type Route } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../kernel/index.ts'
import { mountReadiness, type Readiness } from './readiness.ts'

/**
 * Mounts health and the API description. With metrics it is the operator's port: metrics show what we
 * own, owe and pay, so they must not be public.
 */
export function mountOperations(
  server: FastifyInstance,
  deps: {
    routes: readonly Route[]
    sandboxRoutes?: readonly Route[]
    bounds?: () => EnergyBounds
    readiness: Readiness
    metrics: Registry | undefined
  },
) {
  const { routes, sandboxRoutes = [] } = deps
  let last: { for: string; text: string } | undefined
  /** Written anew only when the operator has changed the bounds: nobody needs a key to ask for it. */
  const description = () => {
    const bounds = deps.bounds?.()
    const now = `${bounds?.minimum} ${bounds?.maximum}`
    if (last?.for !== now) {
      last = { for: now, text: JSON.stringify(openApi(routes, sandboxRoutes, bounds)) }
    }
    return last.text
  }
  const get = (path: string, type: string, body: () => Promise<string> | string) => {
    server.get(path, async (_request, reply) => {
      const text = await body()
      return reply.header('content-type', type).serializer(String).send(text)
    })
  }
  get('/healthz', 'application/json', () => '{"status":"ok"}')
  get('/openapi.json', 'application/json', description)
  const { metrics } = deps
  if (metrics) get('/metrics', metrics.contentType, () => metrics.metrics())
  mountReadiness(server, deps.readiness, { tellsTroubles: metrics !== undefined })
}

/** Counts and times every answer by route and status. Labels come from the route table, never from the client. */
export function measureRequests(server: FastifyInstance, clock: Clock): Registry {
  const registry = new Registry()
  collectDefaultMetrics({
    register: registry,
    prefix: 'ergon_',
    // Two looks a second at the event loop, each of which wakes the process: the hundred that are usual take 0.3 % of a core.
    eventLoopMonitoringPrecision: 500,
  })
  const answers = new Counter({
    name: 'ergon_http_answers_total',
    help: 'Answers by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const times = new Histogram({
    name: 'ergon_http_answer_seconds',
    help: 'Time from the headers of a request to its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2],
    registers: [registry],
  })
  server.addHook('onSend', (request, reply, _payload, done) => {
    const route = request.route || request.routeOptions.url || 'none'
    const { method, startedMs } = request
    answers.inc({ method, route, status: reply.statusCode })
    times.observe({ method, route }, (clock.elapsedMs() - startedMs) / 1000)
    done()
  })
  return registry
}

/** Surplus of the chain over our debts. Absent before the first reconciliation of this process. */
export function measureReconciliation(registry: Registry, surplusSun: () => bigint | undefined) {
  new Gauge({
    name: 'ergon_reconciliation_surplus_trx',
    help: 'Solid balances of our addresses less what we owe (M22); below zero is a shortage.',
    registers: [registry],
    collect() {
      const surplus = surplusSun()
      if (surplus === undefined) this.remove()
      else this.set(Number(surplus) / 1_000_000)
    },
  })
}

/** Requests that are missing in the clients' log of their API requests. */
export function measureRequestLog(registry: Registry, dropped: () => number) {
  new Counter({
    name: 'ergon_api_requests_dropped_total',
    help: "Requests left out of the clients' log: too many at once, or the database did not take them.",
    registers: [registry],
    collect() {
      this.reset()
      this.inc(dropped())
    },
  })
}

type Connections = { connections(): Record<'open' | 'idle' | 'waiting', number> }

/** Connections of this process to the database, by pool. */
export function measurePools(registry: Registry, pools: Record<string, Connections>) {
  new Gauge({
    name: 'ergon_pool_connections',
    help: 'Connections to the database that are open, open and idle, and requests that wait for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { connections }] of Object.entries(pools)) {
        for (const [state, count] of Object.entries(connections())) {
          this.set({ pool, state }, count)
        }
      }
    },
  })
}

type GaugeName = { name: string; help: string; label?: string }
type Reading = { name: string; label?: string; value: number }

/** Cache time of a reading, so that one serves all gauges of a scrape. */
const READING_MS = 1_000

/**
 * Gauges that are read together at a scrape. When the reading fails they are absent and
 * `ergon_status_readable` is 0, because an old number would look healthy.
 */
export function measureGauges(
  registry: Registry,
  clock: Clock,
  { known, read }: { known: readonly GaugeName[]; read(): Promise<Reading[]> },
) {
  let last: { readings: Promise<Reading[] | undefined>; atMs: number } | undefined
  const readings = () => {
    const nowMs = clock.elapsedMs()
    if (!last || nowMs - last.atMs > READING_MS) {
      last = { readings: read().catch(() => undefined), atMs: nowMs }
    }
    return last.readings
  }
  for (const { name, help, label } of known) {
    new Gauge({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [registry],
      async collect() {
        const now = await readings()
        this.reset()
        const own = now?.filter((reading) => reading.name === name) ?? []
        // Remove a gauge without labels: it would be 0 after a reset.
        if (own.length === 0 && !label) this.remove()
        for (const one of own) {
          if (label) this.labels(one.label ?? '').set(one.value)
          else this.set(one.value)
        }
      },
    })
  }
  new Gauge({
    name: 'ergon_status_readable',
    help: '1 when the other gauges of the service could be read.',
    registers: [registry],
    async collect() {
      this.set((await readings()) === undefined ? 0 : 1)
    },
  })
}
