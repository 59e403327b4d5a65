import type { HandledRoute } from '@ergon/contract'
import type { OperatorRoles } from '../../identity/index.ts'
import { roleOfRoute } from '../permissions.ts'

/** Adds the check of the role to each route that needs more than a viewer's. A route without a row is an error. */
export function withRoles(routes: HandledRoute[], roles: OperatorRoles): HandledRoute[] {
  return routes.map(({ route, run }) => {
    const needed = roleOfRoute(route.name)
    if (needed === 'viewer') return { route, run }
    return {
      route,
      async run(caller, call) {
        return (await roles.objection(caller.account, needed)) ?? run(caller, call)
      },
    }
  })
}
