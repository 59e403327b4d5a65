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
import { queryClient, sessionQuery } from './calls.ts'
import { Shell } from './Shell.tsx'
import type { Open } from './useOpen.ts'

const root = createRootRoute({ component: Outlet })

/** All pages that need a session. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  async beforeLoad() {
    try {
      await queryClient.ensureQueryData(sessionQuery)
    } catch (error) {
      if (!(error instanceof ApiTrouble) || error.status !== 401) throw error
      // A page of its own, which does not load the console.
      throw redirect({ href: '/operator/sign-in', reloadDocument: true })
    }
  },
})
const NAMES = ['id', 'status', 'from', 'to', 'by', 'who', 'of'] as const
const page = <P extends string>(
  path: P,
  load: () => Promise<Record<string, unknown>>,
  name: string,
) =>
  createRoute({
    getParentRoute: () => inside,
    path,
    // The row that is open and the filters, so that a link shows the same.
    validateSearch: (search: Record<string, unknown>): Open =>
      Object.fromEntries(
        NAMES.flatMap((name) => (search[name] ? [[name, String(search[name])]] : [])),
      ),
    component: lazyRouteComponent(
      load as () => Promise<Record<string, () => React.JSX.Element>>,
      name,
    ),
  })

const tree = root.addChildren([
  inside.addChildren([
    page('/', () => import('./pages/Status.tsx'), 'Status'),
    page('/orders', () => import('./pages/Orders.tsx'), 'Orders'),
    page('/undecided', () => import('./pages/Undecided.tsx'), 'Undecided'),
    page('/accounts', () => import('./pages/Accounts.tsx'), 'Accounts'),
    page('/prices', () => import('./pages/Prices.tsx'), 'Prices'),
    page('/plans', () => import('./pages/Plans.tsx'), 'Plans'),
    page('/announcements', () => import('./pages/Announcements.tsx'), 'Announcements'),
    page('/bars', () => import('./pages/Bars.tsx'), 'Bars'),
    page('/agents', () => import('./pages/Agents.tsx'), 'Agents'),
    page('/treasury', () => import('./pages/Treasury.tsx'), 'Treasury'),
    page('/books', () => import('./pages/Books.tsx'), 'Books'),
    page('/scorecard', () => import('./pages/Scorecard.tsx'), 'Scorecard'),
    page('/switches', () => import('./pages/Switches.tsx'), 'Switches'),
    page('/security', () => import('./pages/Security.tsx'), 'Security'),
    page('/team', () => import('./pages/Team.tsx'), 'Team'),
    page('/audit', () => import('./pages/AuditLog.tsx'), 'AuditLog'),
  ]),
])

export const makeRouter = () =>
  createRouter({
    routeTree: tree,
    basepath: '/operator',
    defaultPreload: 'intent',
    defaultErrorComponent: NotLoaded,
    scrollRestoration: true,
  })
