import { join } from 'node:path'
import { type HandledRoute, routes, sandboxRoutes } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { messagesOf } from '../../web/index.ts'
import { accountRoutes } from '../account/index.ts'
import { agentRoutes } from '../agent/index.ts'
import { autoEnergyRoutes } from '../autoenergy/index.ts'
import { type Db, openDb, readBusinessTime, retryAside } from '../db/index.ts'
import { deliveryRoutes } from '../delivery/index.ts'
import { depositRoutes } from '../deposits/index.ts'
import {
  type ApiRequests,
  createApiRequests,
  createRateLimit,
  createReadiness,
  createServer,
  createStreams,
  keyGuard,
  loopbackGuard,
  measureGauges,
  measurePools,
  measureReconciliation,
  measureRequestLog,
  measureRequests,
  mount,
  mountOperations,
  publicGuard,
  type RateLimit,
  type RequestTraces,
  type Streams,
  traceRequests,
} from '../http/index.ts'
import type { Clock, Log, Loop } from '../kernel/index.ts'
import { ledgerRoutes } from '../ledger/index.ts'
import { GAUGES } from '../operator/index.ts'
import { orderRoutes, WAITING_GROUPS_MAX } from '../orders/index.ts'
import { mountDocs } from '../pages/index.ts'
import { pricingRoutes } from '../pricing/index.ts'
import { createDevnetControl, sandboxApiRoutes } from '../sandbox-api/index.ts'
import { statusRoutes } from '../status/index.ts'
import { webhookRoutes } from '../webhooks/index.ts'
import { advanceSandbox } from './advance.ts'
import { type Console, mountConsole } from './console.ts'
import { createDueWatch, type DueWatch } from './dueWatch.ts'
import { mountFrontPage } from './frontPage.ts'
import type { AppOptions } from './options.ts'
import { createOrderTraces } from './orderTraces.ts'
import { mountPay } from './payPage.ts'
import { createRooms, type Rooms } from './rooms.ts'
import { mountStatus } from './statusPage.ts'
import { mountWorkspace, type Workspace } from './workspace.ts'

export type App = {
  url: string
  db: Db
  rooms: Rooms
  workspace: Workspace | undefined
  /** The operators' console; undefined without a workspace. */
  console: Console | undefined
  /** Stops accepting requests, drains running ones, stops the loops, closes the database. */
  close(): Promise<void>
}

const DOCS = join(import.meta.dirname, '../../web/dist/docs')
const CONNECTIONS = 20
/** A slice takes some 20 ms and finds its rows by keys, also in tables that were never analysed. */
const BOOKS = {
  connections: 2,
  settings: {
    statement_timeout: '5000',
    enable_seqscan: 'off',
    plan_cache_mode: 'force_custom_plan',
  },
}
/**
 * The look for all loops keeps its connection, and its plan: planned anew it takes five times as long. A service whose other
 * connections are all taken still sees what is due.
 */
const LOOK = { connections: 1, settings: { plan_cache_mode: 'force_generic_plan' } }
/** Public data, for pages of a client's own. */
const ANY_ORIGIN = ['/v1/pay/', '/v1/public/']
/** How soon one process sees what another has made. */
const LOOK_MS = 1_000
/** Connections that wait to be accepted, up to the system's own limit. With the 511 of Node a rush of 2,000 is reset in part. */
const BACKLOG = 4_096

export async function openApp(options: AppOptions): Promise<App> {
  const { runtime, log, role } = options
  const name = `ergon-${role}`
  // Late bound: the rooms are made before the watch of their loops.
  let watch: Pick<DueWatch, 'wake' | 'soon'> = { wake() {}, soon() {} }
  const db = await openDb({
    urls: options.databaseUrls,
    connections: options.connections ?? CONNECTIONS,
    runtime,
    log,
    name,
    onCommit: () => watch.soon(),
  })
  const books = await openDb({
    ...BOOKS,
    urls: options.databaseUrls,
    runtime,
    log,
    name: `${name}-audit`,
  })
  const waitingDb = await openDb({
    connections: WAITING_GROUPS_MAX,
    urls: options.databaseUrls,
    runtime,
    log,
    name: `${name}-waiting`,
  })
  const lookDb = await openDb({
    ...LOOK,
    urls: options.databaseUrls,
    runtime,
    log,
    name: `${name}-look`,
  })
  await readBusinessTime(db, runtime.clock)
  if (role !== 'api') await retryAside(db, runtime.clock.now())
  let requests: RequestTraces | undefined
  const { traces } = options
  const orderTraces =
    traces && createOrderTraces({ traces, requests: () => requests, rooms: () => rooms })
  const own = { db, books, waitingDb, orderTraces, onBlock: () => watch.wake() }
  const rooms: Rooms = createRooms({ ...options, ...own })
  await Promise.all([
    rooms.pricing.refresh(),
    rooms.clients.refresh(),
    rooms.events.prepare(),
    rooms.providers.register(),
    rooms.chain.lag.look(),
    rooms.audit.proofs.look(),
    rooms.terms.publish(),
  ])
  const rateLimit = createRateLimit({
    db,
    clock: runtime.clock,
    log,
    nodeId: runtime.ids.next(),
    ownLimitOf(account) {
      const own = rooms.clients.limitsOf(account).requestsPerMinute
      return own === undefined ? undefined : Number(own)
    },
    ...(options.requestsPerMinute && { limit: options.requestsPerMinute }),
  })
  const apiRequests = createApiRequests({ db, runtime, log })
  const pools = { main: db, audit: books, waiting: waitingDb, look: lookDb }
  const opened = await openServers(options, pools, rooms, { rateLimit, apiRequests })
  const { servers, streams, workspace, console } = opened
  requests = opened.requests
  const loops = [...loopsOf(role, rooms, rateLimit), streams.loop, ...(workspace?.loops ?? [])]
  if (isApi(role)) loops.push(apiRequests.loop)
  const { lookMs: everyMs = LOOK_MS } = options
  const dueWatch = createDueWatch({ db: lookDb, clock: runtime.clock, log, everyMs, loops })
  watch = dueWatch
  loops.push(dueWatch)
  for (const loop of loops) loop.start()
  const [main] = servers
  return {
    url: main ? addressOf(main) : '',
    db,
    rooms,
    workspace,
    console,
    async close() {
      await Promise.all(servers.map((server) => server.close()))
      await Promise.all(loops.map((loop) => loop.stop()))
      await apiRequests.close()
      await workspace?.close()
      await console?.close()
      await traces?.close()
      await books.close()
      await waitingDb.close()
      await lookDb.close()
      await db.close()
    },
  }
}

const isApi = (role: AppOptions['role']) => role === 'all' || role === 'api'

function loopsOf(role: AppOptions['role'], rooms: Rooms, rateLimit: RateLimit): Loop[] {
  const byRole = {
    api: [
      rooms.authenticator.loop,
      rooms.authenticator.usesLoop,
      rateLimit.loop,
      rooms.agent.live.loop,
    ],
    worker: [
      rooms.audit.loop,
      rooms.audit.passLoop,
      rooms.events.loop,
      rooms.housekeeping,
      rooms.sums,
      rooms.books.loop,
      rooms.statements.loop,
      rooms.pricing.following.loop,
      rooms.dailySummary,
      rooms.chain.broadcasts.loop,
      ...rooms.deposits.loops,
      ...rooms.staking.loops,
      ...rooms.treasury.loops,
      rooms.providers.pollLoop,
      rooms.stakeCosts.loop,
      ...rooms.delivery.loops,
      ...rooms.orders.loops,
      ...rooms.agent.loops,
      ...rooms.autoenergy.loops,
      ...rooms.webhooks.loops,
      ...rooms.chat.loops,
      rooms.mail.loop,
      rooms.publicStatus.measure.loop,
    ],
    scanner: [rooms.chain.scanLoop],
  }
  // Only this role has the signer as its child.
  const own = role === 'all' ? [...Object.values(byRole).flat(), rooms.signerLoop] : byRole[role]
  const everywhere = [
    rooms.pricing.loop,
    rooms.clients.loop,
    rooms.providers.readLoop,
    rooms.chain.lag.loop,
    rooms.audit.proofs.loop,
  ]
  return [...everywhere, ...own]
}

async function openServers(
  options: AppOptions,
  pools: { main: Db; audit: Db; waiting: Db; look: Db },
  rooms: Rooms,
  { rateLimit, apiRequests }: { rateLimit: RateLimit; apiRequests: ApiRequests },
): Promise<
  Pick<App, 'workspace' | 'console'> & {
    servers: FastifyInstance[]
    streams: Streams
    requests: RequestTraces | undefined
  }
> {
  const { runtime, log, trustedProxies, metricsAt, sandbox, role } = options
  const { main: db } = pools
  let requests: RequestTraces | undefined
  const prepare = (server: FastifyInstance) => {
    const { traces } = options
    if (traces) requests = traceRequests(server, { traces, runtime })
  }
  const publicUrl = () => options.webUrl?.replace(/\/+$/, '') || (sandbox ? addressOf(server) : '')
  const common = { runtime, log, trustedProxies, publicUrl }
  const server = createServer({ ...common, anyOrigin: ANY_ORIGIN, prepare })
  const metrics = measureRequests(server, runtime.clock)
  measureReconciliation(metrics, () => rooms.deposits.reconciling().last()?.surplus)
  measurePools(metrics, pools)
  measureRequestLog(metrics, apiRequests.dropped)
  apiRequests.follow(server, '/v1/')
  measureGauges(metrics, runtime.clock, { known: GAUGES, read: rooms.operator.gauges })
  const apart = metricsAt ? createServer(common) : undefined
  const exemptLoopback = sandbox !== undefined
  const streams = createStreams(server, { clock: runtime.clock, log, exemptLoopback })
  const clientRoutes = clientRoutesOf(rooms, { clock: runtime.clock, log })
  if (isApi(role)) mountClientApi(server, options, rooms, { rateLimit, clientRoutes, streams })
  const address = () => addressOf(server)
  const hasPages = isApi(role) && (sandbox || options.webUrl)
  const workspace = hasPages
    ? mountWorkspace(server, options, { db, rooms, clientRoutes, address, streams, apiRequests })
    : undefined
  if (hasPages) {
    const guard = publicGuard({ clock: runtime.clock, exemptLoopback })
    mountFrontPage(server, rooms, { guard, clock: runtime.clock })
    mountStatus(server, rooms, { guard })
  }
  const console = hasPages ? mountConsole(server, options, { db, rooms, address }) : undefined
  if (sandbox) mountSandbox(server, options, sandbox, db, rooms)
  const checks = [
    { name: 'database', trouble: () => readBusinessTime(db, runtime.clock).then(() => undefined) },
    { name: 'chain', trouble: rooms.chain.trouble },
  ]
  const readiness = createReadiness(checks, log)
  const described = { routes, sandboxRoutes: sandbox ? sandboxRoutes : [] }
  const isOperators = sandbox !== undefined && !apart
  mountDocs(server, { folder: DOCS, hasManual: sandbox !== undefined })
  const bounds = () => {
    const { minAmount, maxAmount } = rooms.pricing.terms()
    return { minimum: Number(minAmount), maximum: Number(maxAmount) }
  }
  const shownMetrics = isOperators ? metrics : undefined
  mountOperations(server, { ...described, bounds, readiness, metrics: shownMetrics })
  if (apart) mountOperations(apart, { routes: [], readiness, metrics })
  await server.listen({ host: options.host, port: options.port, backlog: BACKLOG })
  if (metricsAt) await apart?.listen(metricsAt)
  return { servers: apart ? [server, apart] : [server], streams, workspace, console, requests }
}

/** Every route of the client API with its handler; the workspace mounts them a second time. */
function clientRoutesOf(rooms: Rooms, world: { clock: Clock; log: Log }): HandledRoute[] {
  return [
    ...accountRoutes(rooms),
    ...agentRoutes({ ...rooms, payerMessages: messagesOf }),
    ...autoEnergyRoutes({ ...rooms, ...world }),
    ...deliveryRoutes(rooms),
    ...depositRoutes(rooms),
    ...ledgerRoutes(rooms),
    ...orderRoutes(rooms),
    ...pricingRoutes(rooms),
    ...statusRoutes({ status: rooms.publicStatus }),
    ...webhookRoutes(rooms),
  ]
}

function mountClientApi(
  server: FastifyInstance,
  { runtime, sandbox }: AppOptions,
  rooms: Rooms,
  deps: {
    rateLimit: RateLimit
    clientRoutes: HandledRoute[]
    streams: Streams
  },
) {
  const { rateLimit, clientRoutes: handled, streams } = deps
  const { clock } = runtime
  const exemptLoopback = sandbox !== undefined
  const { accountOf } = rooms.authenticator
  const keyed = keyGuard({ clock, exemptLoopback, rateLimit, accountOf })
  const open = publicGuard({ clock, exemptLoopback })
  const isOpen = ({ route }: HandledRoute) => route.auth === 'public'
  mount(server, { prefix: '/v1', routes: handled.filter((h) => !isOpen(h)), guard: keyed })
  mount(server, { prefix: '/v1', routes: handled.filter(isOpen), guard: open, streams })
  mountPay(server, rooms, { guard: open, clock })
}

function mountSandbox(
  server: FastifyInstance,
  { runtime }: AppOptions,
  { devnetUrl, solidLag }: NonNullable<AppOptions['sandbox']>,
  db: Db,
  rooms: Rooms,
) {
  const devnet = createDevnetControl(devnetUrl)
  const { clock } = runtime
  const advance = (seconds: number) =>
    advanceSandbox({ db, clock, devnet, rooms, solidLag }, seconds)
  const handled = sandboxApiRoutes({ ...rooms, clock, devnet, advance })
  mount(server, { prefix: '/sandbox', routes: handled, guard: loopbackGuard })
}

function addressOf(server: FastifyInstance): string {
  const address = server.server.address()
  if (address === null || typeof address === 'string') return ''
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
