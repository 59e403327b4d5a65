import {
  getOperatorBars,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorBarLift,
} from '@ergon/contract'
import type { BarRow } from '../../autoenergy/index.ts'
import { liftBar } from '../bars.ts'
import { type ConsoleDeps, isoOf } from './deps.ts'

export function barRoutes({ rooms: { autoenergy }, operator }: ConsoleDeps): HandledRoute[] {
  return [
    handle(getOperatorBars, async () => ({ bars: (await autoenergy.bars.list()).map(barReply) })),
    handle(postOperatorBarLift, async ({ account: who }, { params: { id }, body: { why } }) => {
      const lifted = await liftBar({ autoenergy, actions: operator.actions }, { id, who, why })
      return isRefusal(lifted) ? lifted : barReply(lifted)
    }),
  ]
}

function barReply(bar: BarRow) {
  return {
    id: bar.id,
    account_id: bar.account,
    address: bar.address,
    energy: bar.energy,
    began_at: bar.beganAt.toISOString(),
    until: bar.until.toISOString(),
    lifted_at: isoOf(bar.liftedAt),
  }
}
