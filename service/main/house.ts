import { type HandledRoute, routes, sandboxRoutes } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { wordsOf } from '../../web/index.ts'
import { accountRoutes } from '../account/index.ts'
import { agentRoutes } from '../agent/index.ts'
import { autoEnergyRoutes } from '../autoenergy/index.ts'
import { type Db, openDb, readBusinessTime } from '../db/index.ts'
import { depositRoutes } from '../deposits/index.ts'
import {
  createRateLimit,
  createReadiness,
  createServer,
  createStreams,
  keyGuard,
  loopbackGuard,
  measureGauges,
  measureReconciliation,
  measureRequests,
  mount,
  mountOperations,
  publicGuard,
  type RateLimit,
  type Streams,
} from '../http/index.ts'
import { createLoop, type Log, type Loop } from '../kernel/index.ts'
import { ledgerRoutes } from '../ledger/index.ts'
import { GAUGES } from '../operator/index.ts'
import { orderRoutes } from '../orders/index.ts'
import { pricingRoutes } from '../pricing/index.ts'
import { createDevnetControl, sandboxApiRoutes } from '../sandbox-api/index.ts'
import { webhookRoutes } from '../webhooks/index.ts'
import { advanceSandbox } from './advance.ts'
import { type Console, mountConsole } from './console.ts'
import type { HouseOptions } from './options.ts'
import { mountPay } from './payPage.ts'
import { createRooms, type Rooms } from './rooms.ts'
import { mountWorkspace, type Workspace } from './workspace.ts'

export type House = {
  url: string
  db: Db
  rooms: Rooms
  workspace: Workspace | undefined
  /** Where operators sign in; where the workspace is. */
  console: Console | undefined
  /** Stops taking requests, lets those under way finish, stops the loops, closes the database. */
  close(): Promise<void>
}

const CONNECTIONS = 20
const CLOCK_MS = 250

export async function openHouse(options: HouseOptions): Promise<House> {
  const { doors, log, role } = options
  const name = `ergon-${role}`
  const db = await openDb({
    urls: options.databaseUrls,
    connections: CONNECTIONS,
    doors,
    log,
    name,
  })
  await readBusinessTime(db, doors.clock)
  const rooms = createRooms({ ...options, db })
  await Promise.all([
    rooms.pricing.refresh(),
    rooms.events.prepare(),
    rooms.providers.register(),
    rooms.chain.lag.look(),
  ])
  const rateLimit = createRateLimit({
    db,
    clock: doors.clock,
    log,
    nodeId: doors.ids.next(),
    ...(options.requestsPerMinute && { limit: options.requestsPerMinute }),
  })
  const loops = loopsOf(options, db, rooms, rateLimit)
  const { servers, streams, workspace, console } = await openServers(options, db, rooms, rateLimit)
  loops.push(streams.loop, ...(workspace?.loops ?? []))
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
      await workspace?.close()
      await console?.close()
      await db.close()
    },
  }
}

function loopsOf(options: HouseOptions, db: Db, rooms: Rooms, rateLimit: RateLimit): Loop[] {
  const { role, sandbox, doors, log } = options
  const followClock = createLoop({
    name: 'db.followClock',
    everyMs: CLOCK_MS,
    log,
    work: () => readBusinessTime(db, doors.clock).then(() => 0),
  })
  const byRole = {
    api: [rooms.authenticator.loop, rateLimit.loop, rooms.agent.live.loop],
    worker: [
      rooms.audit.loop,
      rooms.events.loop,
      rooms.dailySummary,
      rooms.chain.broadcasts.loop,
      ...rooms.deposits.loops,
      rooms.providers.pollLoop,
      ...rooms.delivery.loops,
      ...rooms.orders.loops,
      ...rooms.agent.loops,
      ...rooms.autoenergy.loops,
      ...rooms.webhooks.loops,
      ...rooms.chat.loops,
      rooms.mail.loop,
    ],
    scanner: [rooms.chain.scanLoop],
  }
  const own = role === 'all' ? Object.values(byRole).flat() : byRole[role]
  const everywhere = [rooms.pricing.loop, rooms.providers.readLoop, rooms.chain.lag.loop]
  return [...(sandbox ? [followClock] : []), ...everywhere, ...own]
}

async function openServers(
  options: HouseOptions,
  db: Db,
  rooms: Rooms,
  rateLimit: RateLimit,
): Promise<
  Pick<House, 'workspace' | 'console'> & { servers: FastifyInstance[]; streams: Streams }
> {
  const { doors, log, trustedProxies, metricsAt, sandbox, role } = options
  const app = createServer({ doors, log, trustedProxies })
  const metrics = measureRequests(app, doors.clock)
  measureReconciliation(metrics, () => rooms.deposits.reconciling().last()?.surplus)
  measureGauges(metrics, doors.clock, { known: GAUGES, read: rooms.operator.gauges })
  const apart = metricsAt ? createServer({ doors, log, trustedProxies }) : undefined
  const isApi = role === 'all' || role === 'api'
  const exemptLoopback = sandbox !== undefined
  const streams = createStreams(app, { clock: doors.clock, log, exemptLoopback })
  const clientRoutes = clientRoutesOf(rooms, log)
  if (isApi) mountClientApi(app, options, rooms, { rateLimit, clientRoutes, streams })
  const address = () => addressOf(app)
  const hasPages = isApi && (sandbox || options.webUrl)
  const workspace = hasPages
    ? mountWorkspace(app, options, { db, rooms, clientRoutes, address, streams })
    : undefined
  const console = hasPages ? mountConsole(app, options, { db, rooms, address }) : undefined
  if (sandbox) mountSandbox(app, options, sandbox, db, rooms)
  const checks = [
    { name: 'database', trouble: () => readBusinessTime(db, doors.clock).then(() => undefined) },
    { name: 'chain', trouble: rooms.chain.trouble },
  ]
  const readiness = createReadiness(checks, log)
  const described = { routes, sandboxRoutes: sandbox ? sandboxRoutes : [] }
  const isOperators = sandbox !== undefined && !apart
  mountOperations(app, { ...described, readiness, metrics: isOperators ? metrics : undefined })
  if (apart) mountOperations(apart, { routes: [], readiness, metrics })
  await app.listen({ host: options.host, port: options.port })
  if (metricsAt) await apart?.listen(metricsAt)
  return { servers: apart ? [app, apart] : [app], streams, workspace, console }
}

/** Every route of the client API with its handler; the workspace mounts them a second time. */
function clientRoutesOf(rooms: Rooms, log: Log): HandledRoute[] {
  return [
    ...accountRoutes(rooms),
    ...agentRoutes({ ...rooms, payerWords: wordsOf }),
    ...autoEnergyRoutes({ ...rooms, log }),
    ...depositRoutes(rooms),
    ...ledgerRoutes(rooms),
    ...orderRoutes(rooms),
    ...pricingRoutes(rooms),
    ...webhookRoutes(rooms),
  ]
}

function mountClientApi(
  app: FastifyInstance,
  { doors, sandbox }: HouseOptions,
  rooms: Rooms,
  deps: {
    rateLimit: RateLimit
    clientRoutes: HandledRoute[]
    streams: Streams
  },
) {
  const { rateLimit, clientRoutes: handled, streams } = deps
  const { clock } = doors
  const exemptLoopback = sandbox !== undefined
  const { accountOf } = rooms.authenticator
  const keyed = keyGuard({ clock, exemptLoopback, rateLimit, accountOf })
  const open = publicGuard({ clock, exemptLoopback })
  const isOpen = ({ route }: HandledRoute) => route.auth === 'public'
  mount(app, { prefix: '/v1', routes: handled.filter((h) => !isOpen(h)), guard: keyed })
  mount(app, { prefix: '/v1', routes: handled.filter(isOpen), guard: open, streams })
  mountPay(app, rooms, open)
}

function mountSandbox(
  app: FastifyInstance,
  { doors }: HouseOptions,
  { devnetUrl, solidLag }: NonNullable<HouseOptions['sandbox']>,
  db: Db,
  rooms: Rooms,
) {
  const devnet = createDevnetControl(devnetUrl)
  const { clock } = doors
  const advance = (seconds: number) =>
    advanceSandbox({ db, clock, devnet, rooms, solidLag }, seconds)
  const handled = sandboxApiRoutes({ ...rooms, clock, devnet, advance })
  mount(app, { prefix: '/sandbox', routes: handled, guard: loopbackGuard })
}

function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') return ''
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
