import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Db, openSchemaPool } from '../db/index.ts'
import { createGuessLimit, mount, sessionGuard, signInGuard } from '../http/index.ts'
import {
  createInvitations,
  createOperatorRoles,
  createOperators,
  createPasskeys,
  createSecondFactor,
  createSessions,
  type Sessions,
} from '../identity/index.ts'
import {
  type ConsoleDeps,
  consoleRoutes,
  entranceRoutes,
  passkeyChallengeRoute,
} from '../operator/index.ts'
import { mountPages } from '../pages/index.ts'
import { renderInvoice } from './invoicePage.ts'
import type { AppOptions } from './options.ts'
import type { Rooms } from './rooms.ts'
import { CHALLENGES_PER_MINUTE, originsOf } from './workspace.ts'

export type Console = { sessions: Sessions; close(): Promise<void> }

const PREFIX = '/operator/v1'
const CONNECTIONS = 2
/** Built by web/build.ts. */
const SITE = join(import.meta.dirname, '../../web/dist/console')
const BASE = '/operator/'
const PAGES = [
  'orders',
  'undecided',
  'accounts',
  'announcements',
  'prices',
  'plans',
  'bars',
  'agents',
  'treasury',
  'books',
  'scorecard',
  'switches',
  'audit',
  'team',
  'security',
]

/** Mounts /operator/v1: sessions of operators only; clients' keys and cookies do not work there. */
export function mountConsole(
  server: FastifyInstance,
  options: AppOptions,
  { db, rooms, address }: { db: Db; rooms: Rooms; address(): string },
): Console {
  const { runtime, log, databaseUrls, sandbox } = options
  const { clock } = runtime
  const webUrl = () => options.webUrl || address()
  const sessions = createSessions({
    db,
    runtime,
    log,
    accounts: rooms.accounts,
    webUrl,
    role: 'operator',
    openPool: () =>
      openSchemaPool({
        urls: databaseUrls,
        schema: 'better_auth',
        connections: CONNECTIONS,
        log,
        name: 'ergon-operators',
      }),
  })
  const isSandbox = sandbox !== undefined
  const origins = () => originsOf(webUrl(), isSandbox)
  const { operator } = rooms
  const guesses = createGuessLimit({ clock, exemptLoopback: isSandbox })
  const secondFactor = createSecondFactor({ sessions, clock })
  const roles = createOperatorRoles({ db, clock })
  const { mail } = rooms
  const operators = createOperators(sessions, { random: runtime.random, db })
  const passkeys = createPasskeys({ db, runtime, sessions, mail, webUrl })
  const invitations = createInvitations({ db, runtime, mail, operators, webUrl })
  const team = { operators, roles, invitations, letters: mail.letters !== 'none' }
  const own = { rooms, operator, sessions, secondFactor, passkeys, ...team, guesses, clock }
  const deps: ConsoleDeps = { ...own, sandbox: isSandbox, invoicePage: renderInvoice }
  const guard = sessionGuard({ clock, origins, accountOf: sessions.operatorOf })
  const entrance = signInGuard({ clock, origins, exemptLoopback: isSandbox })
  mount(server, { prefix: PREFIX, routes: consoleRoutes(deps), guard, source: 'workspace' })
  mount(server, {
    prefix: PREFIX,
    routes: entranceRoutes(deps),
    guard: entrance,
    source: 'workspace',
  })
  mount(server, {
    prefix: PREFIX,
    routes: [passkeyChallengeRoute(deps)],
    guard: signInGuard({
      clock,
      origins,
      exemptLoopback: isSandbox,
      perMinute: CHALLENGES_PER_MINUTE,
    }),
    source: 'workspace',
  })
  const pages = ['/operator', BASE, ...PAGES.map((page) => BASE + page)]
  mountPages(server, {
    folder: SITE,
    pages,
    others: { file: 'entrance.html', pages: [`${BASE}sign-in`, `${BASE}invitation`] },
    random: runtime.random,
    base: BASE,
  })
  return { sessions, close: sessions.close }
}
