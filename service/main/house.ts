import { type HandledRoute, routes, sandboxRoutes } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { accountRoutes } from '../account/index.ts'
import { advanceBusinessTime, type Db, openDb, readBusinessTime } from '../db/index.ts'
import {
  createRateLimit,
  createServer,
  keyGuard,
  loopbackGuard,
  measureRequests,
  mount,
  mountOperations,
  publicGuard,
  type RateLimit,
} from '../http/index.ts'
import { createLoop, type Doors, type Log, type Loop, type MovableClock } from '../kernel/index.ts'
import { sandboxApiRoutes } from '../sandbox-api/index.ts'
import { createRooms, type Rooms } from './rooms.ts'

export type HouseOptions = {
  databaseUrls: string[]
  host: string
  port: number
  /** Where /metrics is served: a port of its own, or null for the main one. */
  metricsPort: number | null
  trustedProxies: string[]
  role: 'all' | 'api' | 'worker' | 'scanner'
  sandbox: boolean
  doors: Doors & { clock: MovableClock }
  log: Log
}

export type House = {
  url: string
  db: Db
  rooms: Rooms
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
  const rooms = createRooms({ db, doors, log })
  const rateLimit = createRateLimit({ db, clock: doors.clock, log, nodeId: doors.ids.next() })
  const loops = loopsOf(options, db, rooms, rateLimit)
  const servers = await openServers(options, db, rooms, rateLimit)
  for (const loop of loops) loop.start()
  const [main] = servers
  return {
    url: main ? addressOf(main) : '',
    db,
    rooms,
    async close() {
      await Promise.all(servers.map((server) => server.close()))
      await Promise.all(loops.map((loop) => loop.stop()))
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
  const api = [rooms.authenticator.loop, rateLimit.loop]
  const worker = [rooms.events.loop]
  return [
    ...(sandbox ? [followClock] : []),
    ...(role === 'all' || role === 'api' ? api : []),
    ...(role === 'all' || role === 'worker' ? worker : []),
  ]
}

async function openServers(
  options: HouseOptions,
  db: Db,
  rooms: Rooms,
  rateLimit: RateLimit,
): Promise<FastifyInstance[]> {
  const { doors, log, trustedProxies, metricsPort, sandbox } = options
  const app = createServer({ doors, log, trustedProxies })
  const metrics = measureRequests(app)
  const apart = metricsPort === null ? undefined : createServer({ doors, log, trustedProxies })
  if (options.role === 'all' || options.role === 'api') {
    mountClientApi(app, options, clientRoutes(rooms), rateLimit, rooms)
  }
  if (sandbox) {
    const handled = sandboxApiRoutes({
      accounts: rooms.accounts,
      clock: doors.clock,
      depositAddressOf: async () => '',
      fund: async () => {},
      advance: (ms) => advanceBusinessTime(db, doors.clock, ms),
    })
    mount(app, { prefix: '/sandbox', routes: handled, guard: loopbackGuard })
  }
  const checks = [{ name: 'database', trouble: () => databaseTrouble(db, doors.clock) }]
  const described = [...routes, ...(sandbox ? sandboxRoutes : [])]
  mountOperations(app, { routes: described, checks, metrics: apart ? undefined : metrics })
  if (apart) mountOperations(apart, { routes: [], checks, metrics })
  await app.listen({ host: options.host, port: options.port })
  if (apart) await apart.listen({ host: options.host, port: metricsPort! })
  return apart ? [app, apart] : [app]
}

function clientRoutes(rooms: Rooms): HandledRoute[] {
  return [...accountRoutes({ ...rooms, depositAddressOf: async () => '' })]
}

function mountClientApi(
  app: FastifyInstance,
  { doors, sandbox }: HouseOptions,
  handled: HandledRoute[],
  rateLimit: RateLimit,
  rooms: Rooms,
) {
  const { clock } = doors
  const exemptLoopback = sandbox
  const keyed = keyGuard({
    clock,
    exemptLoopback,
    rateLimit,
    accountOf: rooms.authenticator.accountOf,
  })
  const open = publicGuard({ clock, exemptLoopback })
  const isOpen = ({ route }: HandledRoute) => route.auth === 'public'
  mount(app, { prefix: '/v1', routes: handled.filter((h) => !isOpen(h)), guard: keyed })
  mount(app, { prefix: '/v1', routes: handled.filter(isOpen), guard: open })
}

async function databaseTrouble(db: Db, clock: MovableClock): Promise<string | undefined> {
  await readBusinessTime(db, clock)
  return undefined
}

function addressOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') return ''
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
