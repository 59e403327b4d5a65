import { getOperatorFound, type HandledRoute, handle } from '@ergon/contract'
import { findAnything } from '../find.ts'
import type { ConsoleDeps } from './deps.ts'

/** One search for everything that an operator can paste. */
export function findRoute({ rooms }: ConsoleDeps): HandledRoute {
  return handle(getOperatorFound, async (_caller, { query: { text } }) => {
    const found = await findAnything(rooms, text)
    const names = await rooms.accounts.namesOf(found.map(({ account }) => account))
    return {
      found: found.map(({ kind, id, account, order, why }) => ({
        kind,
        id,
        account_id: account,
        account_name: names.get(account) ?? '',
        order_id: order,
        why,
      })),
    }
  })
}
