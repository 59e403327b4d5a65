import {
  getOperatorGroups,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorAccountGroup,
  postOperatorGroup,
} from '@ergon/contract'
import { isUuid } from '../../kernel/index.ts'
import { findAccounts } from '../accounts.ts'
import { accountReply } from './accounts.ts'
import { type ConsoleDeps, missing } from './deps.ts'

export function groupRoutes({ rooms, operator: { groups } }: ConsoleDeps): HandledRoute[] {
  async function reply() {
    const rows = await groups.list()
    return {
      groups: rows.map(({ name, accounts, createdAt }) => ({
        name,
        accounts: Number(accounts),
        created_at: createdAt.toISOString(),
      })),
    }
  }
  return [
    handle(getOperatorGroups, reply),
    handle(postOperatorGroup, async ({ account: who }, { body: { name, why } }) => {
      const made = await groups.create(name, { who, why })
      return isRefusal(made) ? made : reply()
    }),
    handle(postOperatorAccountGroup, async ({ account: who }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('account')
      const moved = await groups.move(id, body.group, { who, why: body.why })
      if (isRefusal(moved)) return moved
      const [found] = await findAccounts(rooms, id, 1)
      return found ? accountReply(found) : missing('account')
    }),
  ]
}
