import type { HandledRoute } from '@ergon/contract'
import { withSecondFactor } from '../../identity/index.ts'
import { accountRoutes } from './accounts.ts'
import { announcementRoutes } from './announcements.ts'
import { barRoutes } from './bars.ts'
import { blockRoutes } from './blocks.ts'
import { bookRoutes } from './books.ts'
import { clientTermRoutes } from './clientTerms.ts'
import type { ConsoleDeps } from './deps.ts'
import { findRoute } from './find.ts'
import { followedRoutes } from './followed.ts'
import { groupRoutes } from './groups.ts'
import { incidentRoutes } from './incidents.ts'
import { invoiceRoutes } from './invoices.ts'
import { orderRoutes } from './orders.ts'
import { passkeyRoutes } from './passkeys.ts'
import { priceRoutes } from './prices.ts'
import { referralRoutes } from './referral.ts'
import { sessionRoutes } from './session.ts'
import { stakeCostRoutes } from './stakeCost.ts'
import { stakeRoutes } from './stakes.ts'
import { statementRoutes } from './statements.ts'
import { statusRoutes } from './status.ts'
import { teamRoutes } from './team.ts'
import { transferRoutes } from './transfers.ts'
import { treasuryRoutes } from './treasury.ts'
import { withRoles } from './withRoles.ts'

export type { ConsoleDeps } from './deps.ts'
export { passkeyChallengeRoute } from './passkeys.ts'
export { entranceRoutes } from './session.ts'

/** All routes that need an operator's session. */
export function consoleRoutes(deps: ConsoleDeps): HandledRoute[] {
  const routes = [
    ...sessionRoutes(deps),
    ...passkeyRoutes(deps),
    ...statusRoutes(deps),
    ...accountRoutes(deps),
    ...groupRoutes(deps),
    ...referralRoutes(deps),
    ...clientTermRoutes(deps),
    ...blockRoutes(deps),
    ...announcementRoutes(deps),
    ...incidentRoutes(deps),
    ...invoiceRoutes(deps),
    ...orderRoutes(deps),
    ...priceRoutes(deps),
    ...followedRoutes(deps),
    ...barRoutes(deps),
    ...bookRoutes(deps),
    ...stakeCostRoutes(deps),
    ...statementRoutes(deps),
    findRoute(deps),
    ...treasuryRoutes(deps),
    ...stakeRoutes(deps),
    ...transferRoutes(deps),
    ...teamRoutes(deps),
  ]
  // The role first: nobody shows a code for what they may not do.
  return withRoles(withSecondFactor(routes, deps.secondFactor), deps.roles)
}
