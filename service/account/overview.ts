import { getOverview, type HandledRoute, handle } from '@ergon/contract'
import type { Chain } from '../chain/index.ts'
import { type Clock, formatTrx, sun } from '../kernel/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Orders } from '../orders/index.ts'
import type { Pricing } from '../pricing/index.ts'

export type OverviewDeps = {
  ledger: Ledger
  orders: Orders
  chain: Chain
  pricing: Pricing
  clock: Clock
}

const DAY_MS = 86_400_000
const DAYS = 14
const WEEK = 7
/** Entry types that count as spending, by purpose: payments and their refunds. */
const PURPOSES = {
  orders: /^(purchase|refund|reclaim_credit)$/,
  autoenergy: /^autoenergy_\w+$/,
  agent: /^agent_charge$/,
}

/** What the first page of the workspace shows: the last two weeks, by day. */
export function overviewRoute({
  ledger,
  orders,
  chain,
  pricing,
  clock,
}: OverviewDeps): HandledRoute {
  return handle(getOverview, async ({ account }) => {
    const today = Math.floor(clock.now().getTime() / DAY_MS) * DAY_MS
    const from = new Date(today - (DAYS - 1) * DAY_MS)
    const [{ opening, sums }, outcomes, burnPrice] = await Promise.all([
      ledger.periods.byDay(account, { from, to: new Date(today + DAY_MS) }),
      orders.outcomesByDay(account, from),
      chain.energyPrice().catch(() => undefined),
    ])
    const sumOn = (day: string, kinds = /./) =>
      sums.reduce((all, s) => (s.day === day && kinds.test(s.kind) ? all + s.amount : all), 0n)
    let balance = opening
    const days = Array.from({ length: DAYS }, (_, index) => {
      const date = new Date(from.getTime() + index * DAY_MS).toISOString().slice(0, 10)
      balance += sumOn(date)
      const outcome = outcomes.find(({ day }) => day === date)
      return {
        date,
        balance: sun(balance),
        orders: sun(-sumOn(date, PURPOSES.orders)),
        autoenergy: sun(-sumOn(date, PURPOSES.autoenergy)),
        agent: sun(-sumOn(date, PURPOSES.agent)),
        energy: outcome?.energy ?? 0n,
        outcome,
      }
    })
    const spentOn = (day: (typeof days)[number]) => day.orders + day.autoenergy + day.agent
    const week = days.slice(-WEEK).reduce((all, day) => all + spentOn(day), 0n)
    const energy = days.reduce((all, day) => all + day.energy, 0n)
    return {
      days: days.map((day) => ({
        date: day.date,
        balance_trx: formatTrx(day.balance),
        spent_trx: formatTrx(sun(spentOn(day))),
        spent_orders_trx: formatTrx(day.orders),
        spent_autoenergy_trx: formatTrx(day.autoenergy),
        spent_agent_trx: formatTrx(day.agent),
        energy: Number(day.energy),
        completed: Number(day.outcome?.completed ?? 0n),
        failed: Number(day.outcome?.failed ?? 0n),
        delivery_seconds: day.outcome?.seconds ?? null,
      })),
      spent_week_trx: formatTrx(sun(week)),
      burn_cost_trx: burnPrice === undefined ? null : formatTrx(sun(energy * burnPrice)),
      discount_basis_points: Number(pricing.discountOf(account)),
    }
  })
}
