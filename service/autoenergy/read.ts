import type { Db } from '../db/index.ts'
import type { Clock } from '../kernel/index.ts'
import { periodsOf } from './budget.ts'
import { type Costs, forecastMonth, weekBefore } from './forecast.ts'
import {
  type BillingRow,
  listBilling,
  listSubscriptions,
  listUsage,
  sumCounters,
  type UsageRow,
} from './read.sql.ts'
import { findSubscription, type Savings } from './store.ts'
import type { Subscription } from './subscription.ts'

/**
 * With the savings and costs of its current run, what the month will cost, and what the next subscribe or
 * reactivate charges for owed calls.
 */
export type SubscriptionView = Subscription & {
  savings: Savings
  costs: Costs
  forecast: bigint
  owed: bigint
}
type Page = { limit: number; offset: number }

export type Reads = {
  /** Newest first. */
  list(account: string): Promise<SubscriptionView[]>
  /** Undefined when there is none, or it belongs to another account. */
  find(account: string, address: string): Promise<SubscriptionView | undefined>
  withCounters(subscription: Subscription): Promise<SubscriptionView>
  usage(account: string, address: string, page: Page): Promise<UsageRow[] | undefined>
  billing(account: string, address: string, page: Page): Promise<BillingRow[] | undefined>
}

/** Other texts need no query, and may contain what PostgreSQL cannot compare. */
const ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/

export function createReads(db: Db, clock: Clock): Reads {
  async function view(rows: Subscription[]): Promise<SubscriptionView[]> {
    const now = clock.now()
    const { daily, monthly } = periodsOf(now)
    const since = [daily.from, monthly.from, weekBefore(now)]
    const sums = await db.query(sumCounters, [rows.map(({ id }) => id), ...since])
    const byId = new Map(sums.map((row) => [row.id, row]))
    return rows.map((row) => {
      const sum = byId.get(row.id)!
      const forecast = forecastMonth(row, sum, now)
      return { ...row, savings: sum, costs: sum, forecast, owed: sum.owed }
    })
  }

  async function findRow(account: string, address: string): Promise<Subscription | undefined> {
    if (!ADDRESS.test(address)) return undefined
    return (await db.query(findSubscription, [account, address]))[0]
  }

  return {
    list: async (account) => view(await db.query(listSubscriptions, [account])),
    async find(account, address) {
      const row = await findRow(account, address)
      return row && (await view([row]))[0]
    },
    withCounters: async (row) => (await view([row]))[0]!,
    async usage(account, address, { limit, offset }) {
      const row = await findRow(account, address)
      return row && db.query(listUsage, [row.id, limit, offset])
    },
    async billing(account, address, { limit, offset }) {
      const row = await findRow(account, address)
      return row && db.query(listBilling, [row.id, limit, offset])
    },
  }
}
