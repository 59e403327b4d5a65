import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { ApiTrouble } from '../shared/api.ts'
import { NotLoaded } from '../shared/Unreachable.tsx'
import { Missing } from './pages/Missing.tsx'
import { Overview } from './pages/Overview.tsx'
import { type OrderFilter, queryClient, type RequestFilter, sessionQuery } from './queries.ts'
import { Shell } from './Shell.tsx'

const root = createRootRoute({ component: Outlet, notFoundComponent: Missing })

/** Everything behind the sign-in. Visitors without a session are redirected to it and return afterwards. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  async beforeLoad({ location }) {
    try {
      await queryClient.ensureQueryData(sessionQuery)
    } catch (error) {
      if (!(error instanceof ApiTrouble) || error.status !== 401) throw error
      // A page of its own, which does not load the workspace.
      throw redirect({
        href: `/sign-in?back=${encodeURIComponent(location.href)}`,
        reloadDocument: true,
      })
    }
  },
})
const page = <P extends string>(
  path: P,
  load: () => Promise<Record<string, unknown>>,
  name: string,
) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    component: lazyRouteComponent(
      load as () => Promise<Record<string, () => React.JSX.Element>>,
      name,
    ),
  })

/** The named parts of an address that are there. */
const textsOf = <N extends string>(search: Record<string, unknown>, names: readonly N[]) =>
  Object.fromEntries(
    names.flatMap((name) => (search[name] ? [[name, String(search[name])]] : [])),
  ) as Partial<Record<N, string>>

const orders = createRoute({
  getParentRoute: () => inside,
  path: '/orders',
  validateSearch: (
    search: Record<string, unknown>,
  ): OrderFilter & { page?: number; id?: string } => ({
    ...(Number(search.page) > 1 && { page: Math.floor(Number(search.page)) }),
    ...textsOf(search, ['q', 'status', 'source', 'from', 'to', 'id']),
  }),
  component: lazyRouteComponent(() => import('./pages/Orders.tsx'), 'Orders'),
})

const requests = createRoute({
  getParentRoute: () => inside,
  path: '/requests',
  validateSearch: ({
    status,
    route,
    id,
  }: Record<string, unknown>): RequestFilter & { id?: string } => ({
    ...((status === '2xx' || status === '4xx' || status === '5xx') && { status }),
    ...(typeof route === 'string' && { route }),
    ...(typeof id === 'string' && { id }),
  }),
  component: lazyRouteComponent(() => import('./pages/Requests.tsx'), 'Requests'),
})

const ledger = createRoute({
  getParentRoute: () => inside,
  path: '/ledger',
  validateSearch: (search: Record<string, unknown>): { month?: string; type?: string } =>
    textsOf(search, ['month', 'type']),
  component: lazyRouteComponent(() => import('./pages/Ledger.tsx'), 'Ledger'),
})

const buy = createRoute({
  getParentRoute: () => inside,
  path: '/buy',
  // What to fill in: the front links to it.
  validateSearch: (search: Record<string, unknown>): { energy?: string; receiver?: string } =>
    textsOf(search, ['energy', 'receiver']),
  component: lazyRouteComponent(() => import('./pages/Buy.tsx'), 'Buy'),
})

const deposits = createRoute({
  getParentRoute: () => inside,
  path: '/deposits',
  validateSearch: (
    search: Record<string, unknown>,
  ): { status?: string; from?: string; to?: string } => textsOf(search, ['status', 'from', 'to']),
  component: lazyRouteComponent(() => import('./pages/Deposits.tsx'), 'Deposits'),
})

// Loaded with the frame: it is the first page of nearly every visit.
const overview = createRoute({
  getParentRoute: () => inside,
  path: '/overview',
  component: Overview,
})

const tree = root.addChildren([
  inside.addChildren([
    overview,
    buy,
    orders,
    ledger,
    deposits,
    page('/invoices', () => import('./pages/Invoices.tsx'), 'Invoices'),
    page('/autoenergy', () => import('./pages/AutoEnergy.tsx'), 'AutoEnergy'),
    page('/agent', () => import('./pages/Agent.tsx'), 'Agent'),
    page('/agent/sales', () => import('./pages/AgentSales.tsx'), 'AgentSales'),
    page('/webhooks', () => import('./pages/Webhooks.tsx'), 'Webhooks'),
    page('/chat', () => import('./pages/Chat.tsx'), 'Chat'),
    page('/keys', () => import('./pages/Keys.tsx'), 'Keys'),
    requests,
    page('/settings', () => import('./pages/Settings.tsx'), 'Settings'),
    page('/security', () => import('./pages/Security.tsx'), 'Security'),
  ]),
])

export const makeRouter = () =>
  createRouter({
    routeTree: tree,
    defaultPreload: 'intent',
    defaultErrorComponent: NotLoaded,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
