import { join } from 'node:path'
import type { HandledRoute } from '@ergon/contract'
import type { FastifyInstance } from 'fastify'
import { createLive, invoiceRoutes, workspaceRoutes } from '../account/index.ts'
import { reportRoute } from '../agent/index.ts'
import { chatRoutes } from '../chat/index.ts'
import { type Db, openSchemaPool } from '../db/index.ts'
import {
  type ApiRequests,
  createGuessLimit,
  mount,
  mountLive,
  requestRoutes,
  type Streams,
  sessionGuard,
  signInGuard,
} from '../http/index.ts'
import {
  createPasskeys,
  createPasswordReset,
  createSecondFactor,
  createSecurity,
  createSessions,
  createSignUp,
  createWalletLogin,
  passkeyChallengeRoutes,
  type Sessions,
  sessionRoutes,
  signInRoutes,
} from '../identity/index.ts'
import type { Loop } from '../kernel/index.ts'
import { checkoutRoutes, orderSearchRoute } from '../orders/index.ts'
import { mountPages } from '../pages/index.ts'
import { announcementRoutes } from '../status/index.ts'
import { inspectorRoutes } from '../webhooks/index.ts'
import { DEMO } from './demo.ts'
import { renderInvoice } from './invoicePage.ts'
import type { AppOptions } from './options.ts'
import type { Rooms } from './rooms.ts'

export type Workspace = { sessions: Sessions; loops: Loop[]; close(): Promise<void> }

/** Built by web/build.ts. */
const SITE = join(import.meta.dirname, '../../web/dist/workspace')

const PREFIX = '/app/v1'
const CONNECTIONS = 4
/** Challenges of passkeys for one network: each visit of the sign-in page asks for one. */
export const CHALLENGES_PER_MINUTE = 120
/** Paths of the single-page workspace; any other path is a 404. */
const PAGES = [
  '/overview',
  '/buy',
  '/orders',
  '/ledger',
  '/invoices',
  '/deposits',
  '/autoenergy',
  '/agent',
  '/agent/sales',
  '/webhooks',
  '/chat',
  '/keys',
  '/requests',
  '/settings',
  '/security',
]

/** Pages before the sign-in, which do not load the workspace. */
const ENTRANCE = {
  file: 'entrance.html',
  pages: ['/sign-in', '/sign-up', '/confirm', '/forgot', '/reset'],
}

/**
 * The second mount of the route table: routes with `both`, and routes of sessions. `address` is a
 * function, because a port of 0 is known only once the server listens.
 */
export function mountWorkspace(
  server: FastifyInstance,
  options: AppOptions,
  app: {
    db: Db
    rooms: Rooms
    clientRoutes: readonly HandledRoute[]
    address(): string
    streams: Streams
    apiRequests: ApiRequests
  },
): Workspace {
  const { runtime, log, databaseUrls, sandbox } = options
  const { db, rooms } = app
  const { clock } = runtime
  const webUrl = () => options.webUrl || app.address()
  const openPool = () =>
    openSchemaPool({
      urls: databaseUrls,
      schema: 'better_auth',
      connections: CONNECTIONS,
      log,
      name: 'ergon-sessions',
    })
  const identity = { db, runtime, log, accounts: rooms.accounts, terms: rooms.terms, webUrl }
  const sessions = createSessions({ ...identity, openPool })
  const walletLogin = createWalletLogin({ ...identity, sessions })
  const passwordReset = createPasswordReset({ ...identity, mail: rooms.mail, sessions })
  const security = createSecurity(sessions)
  const secondFactor = createSecondFactor({ sessions, clock })
  const passkeys = createPasskeys({ ...identity, mail: rooms.mail, sessions })
  const own = { sessions, walletLogin, passwordReset, security, secondFactor, passkeys }
  const deps = { ...rooms, clock, ...own }
  const live = createLive({ ...rooms, log })

  const origins = () => originsOf(webUrl(), sandbox !== undefined)
  const guard = sessionGuard({ clock, origins, accountOf: sessions.accountOf })
  const exemptLoopback = sandbox !== undefined
  const routes = [
    ...app.clientRoutes.filter(({ route }) => route.auth === 'both'),
    ...checkoutRoutes(rooms),
    orderSearchRoute(rooms),
    ...sessionRoutes({ ...deps, sandbox: sandbox !== undefined }),
    ...workspaceRoutes(deps),
    ...announcementRoutes({ status: rooms.publicStatus, clock }),
    ...invoiceRoutes({ ...deps, invoicePage: renderInvoice }),
    ...chatRoutes(rooms),
    ...requestRoutes(app.apiRequests),
    ...inspectorRoutes(rooms),
    reportRoute(deps),
  ]
  mount(server, { prefix: PREFIX, routes, guard, source: 'workspace' })
  const entrance = signInGuard({ clock, origins, exemptLoopback })
  const guesses = createGuessLimit({ clock, exemptLoopback })
  const isSandbox = sandbox !== undefined
  const signUp = createSignUp({ ...identity, sessions, mail: rooms.mail, isSandbox })
  const signIn = signInRoutes({ ...deps, signUp, guesses })
  mount(server, { prefix: PREFIX, routes: signIn, guard: entrance, source: 'workspace' })
  mount(server, {
    prefix: PREFIX,
    routes: passkeyChallengeRoutes(deps),
    guard: signInGuard({ clock, origins, exemptLoopback, perMinute: CHALLENGES_PER_MINUTE }),
    source: 'workspace',
  })
  const { streams } = app
  mountLive(server, { path: `${PREFIX}/live`, guard, follow: live.follow, streams })
  mountPages(server, {
    folder: SITE,
    pages: PAGES,
    others: ENTRANCE,
    random: runtime.random,
    words: {
      __DEMO__: isSandbox ? `${DEMO.email} ${DEMO.password}` : '',
      __TERMS__: versionOf(rooms, 'terms'),
      __PRIVACY__: versionOf(rooms, 'privacy'),
      __ASKED__: rooms.terms.texts.some(({ isSample }) => !isSample) ? 'yes' : '',
    },
  })
  return { sessions, loops: [live.loop], close: sessions.close }
}

/** Empty: there is no such text. */
const versionOf = ({ terms }: Rooms, document: 'terms' | 'privacy') =>
  terms.texts.find((text) => text.document === document)?.version ?? ''

/** Allowed Origins; in the sandbox localhost as well as 127.0.0.1. */
export function originsOf(webUrl: string, isSandbox: boolean): string[] {
  const { origin, hostname } = new URL(webUrl)
  if (!isSandbox) return [origin]
  return [origin, origin.replace(hostname, 'localhost'), origin.replace(hostname, '127.0.0.1')]
}
