import { getAgentReport, type HandledRoute, handle } from '@ergon/contract'
import type { Clock } from '../kernel/index.ts'
import type { Agent } from './agent.ts'

const DAYS = 30
const DAY_MS = 86_400_000

/** Revenue, cost and payments that were not sold, for the workspace. */
export function reportRoute({ agent, clock }: { agent: Agent; clock: Clock }): HandledRoute {
  return handle(getAgentReport, async ({ account }) => {
    const today = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS
    const from = today - (DAYS - 1) * DAY_MS
    const { days, skipped } = await agent.reads.since(account, new Date(from))
    return {
      days: Array.from({ length: DAYS }, (_, index) => {
        const date = new Date(from + index * DAY_MS).toISOString().slice(0, 10)
        const found = days.find(({ day }) => day === date)
        return {
          date,
          sales: Number(found?.sales ?? 0n),
          revenue_sun: found?.revenue ?? 0n,
          cost_sun: found?.cost ?? 0n,
        }
      }),
      skipped: skipped.map(({ reason, payments, amount }) => ({
        reason,
        payments: Number(payments),
        amount_sun: amount,
      })),
    }
  })
}
