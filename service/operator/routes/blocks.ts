import {
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorBlock,
  postOperatorUnblock,
  type Refusal,
} from '@ergon/contract'
import { isUuid } from '../../kernel/index.ts'
import { findAccounts } from '../accounts.ts'
import { accountReply } from './accounts.ts'
import { type ConsoleDeps, missing } from './deps.ts'

export function blockRoutes({ rooms, operator: { blocking } }: ConsoleDeps): HandledRoute[] {
  async function reply(done: string | Refusal) {
    if (isRefusal(done)) return done
    const [found] = await findAccounts(rooms, done, 1)
    return found ? accountReply(found) : missing('account')
  }
  return [
    handle(postOperatorBlock, async ({ account: who }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('account')
      return reply(await blocking.block(id, body.reason, { who, why: body.why }))
    }),
    handle(postOperatorUnblock, async ({ account: who }, { params: { id }, body: { why } }) => {
      if (!isUuid(id)) return missing('account')
      return reply(await blocking.unblock(id, { who, why }))
    }),
  ]
}
