import {
  Answers,
  type Call,
  type Caller,
  deleteSubscription,
  getSubscription,
  getSubscriptionBilling,
  getSubscriptions,
  getSubscriptionUsage,
  type HandledRoute,
  handle,
  isRefusal,
  postSubscription,
  postSubscriptionBatch,
  postSubscriptionClose,
  postSubscriptionReactivate,
  type Refusal,
  refuse,
} from '@ergon/contract'
import { type Clock, formatTrx, type Log, parseTrx } from '../kernel/index.ts'
import { planReply } from '../pricing/index.ts'
import type { AutoEnergy } from './autoenergy.ts'
import { oneByOne } from './oneByOne.ts'
import type { SubscriptionView } from './read.ts'
import type { Savings } from './store.ts'
import type { Wish } from './subscribe.ts'
import type { Subscription } from './subscription.ts'

type Deps = { autoenergy: AutoEnergy; clock: Clock; log: Log }

export function autoEnergyRoutes({ autoenergy, clock, log }: Deps): HandledRoute[] {
  /** Errors of AutoEnergy have their own shape, also internal ones. */
  async function orInternalError<T>(work: () => Promise<T | Refusal>): Promise<T | Refusal> {
    try {
      return await work()
    } catch (error) {
      log.error('autoenergy_request_failed', { error })
      const message = 'Unexpected error. Read the subscription before you try again.'
      return refuse('autoenergy_internal_error', { message })
    }
  }

  const changed = (work: () => Promise<Subscription | Refusal>) =>
    orInternalError(async () => {
      const result = await work()
      return isRefusal(result) ? result : subscriptionReply(await autoenergy.withCounters(result))
    })

  const subscribe = (caller: Caller, body: Wanted) =>
    changed(() => autoenergy.subscribe(caller, wishOf(body)))

  return [
    handle(postSubscription, (caller, { body }) => subscribe(caller, body)),
    handle(postSubscriptionBatch, async (caller, { body: { subscriptions } }) => {
      const answers = await oneByOne(clock, subscriptions, (one) => subscribe(caller, one))
      return new Answers(postSubscription, answers)
    }),
    handle(postSubscriptionClose, (caller, { params }) =>
      changed(() => autoenergy.close(caller, textOf(params.address))),
    ),
    handle(postSubscriptionReactivate, (caller, { params, body }) => {
      const address = textOf(params.address)
      const again = { signature: body?.ownership_signature, budgets: budgetsOf(body ?? {}) }
      return changed(() => autoenergy.reactivate(caller, address, again))
    }),
    handle(deleteSubscription, (caller, { params }) =>
      orInternalError(async () => (await autoenergy.remove(caller, textOf(params.address))) ?? {}),
    ),
    ...readRoutes(autoenergy),
  ]
}

type Wanted = Call<typeof postSubscription>['body']

function wishOf(body: Wanted): Wish {
  const { address, plan = 'standard', idle_hours = 24, quota_max_tx = null } = body
  const quota = quota_max_tx === null ? null : BigInt(quota_max_tx)
  const { dailyBudget = null, monthlyBudget = null } = budgetsOf(body)
  const terms = { plan, idleHours: BigInt(idle_hours), quota, dailyBudget, monthlyBudget }
  return { address, ...terms, signature: body.ownership_signature }
}

function readRoutes(autoenergy: AutoEnergy): HandledRoute[] {
  return [
    handle(getSubscriptions, async ({ account }) =>
      (await autoenergy.list(account)).map(subscriptionReply),
    ),
    handle(getSubscription, async ({ account }, { params }) => {
      const found = await autoenergy.find(account, params.address)
      return found ? subscriptionReply(found) : notFound()
    }),
    handle(getSubscriptionUsage, async ({ account }, { params, query }) => {
      const rows = await autoenergy.usage(account, params.address, query)
      if (!rows) return notFound()
      return rows.map((row) => ({
        energy_class: row.energyClass,
        used_tx_id: row.txid,
        billed_sun: row.billed,
        billed_trx: formatTrx(row.billed),
        occurred_at: row.time.toISOString(),
        run: Number(row.run),
        ...savingsReply(row),
      }))
    }),
    handle(getSubscriptionBilling, async ({ account }, { params, query }) => {
      const rows = await autoenergy.billing(account, params.address, query)
      if (!rows) return notFound()
      return rows.map(({ kind, amount, at, run, owed }) => ({
        kind,
        amount_trx: formatTrx(amount),
        owed_trx: formatTrx(owed),
        at: at.toISOString(),
        run: Number(run),
      }))
    }),
  ]
}

type BudgetBody = { daily_budget_trx?: string | null; monthly_budget_trx?: string | null }

/** Only the budgets that the body names; their form is checked already. */
function budgetsOf({ daily_budget_trx: daily, monthly_budget_trx: monthly }: BudgetBody) {
  const budget = (text: string | null) => (text === null ? null : parseTrx(text)!)
  return {
    ...(daily !== undefined && { dailyBudget: budget(daily) }),
    ...(monthly !== undefined && { monthlyBudget: budget(monthly) }),
  }
}

/** A path may contain characters that PostgreSQL cannot compare; such a path names no address. */
function textOf(address: string): string {
  return /^\w{34}$/.test(address) ? address : ''
}

function notFound(): Refusal {
  return refuse('autoenergy_not_found', {
    message: 'No such subscription. GET /autoenergy/subscriptions lists them.',
  })
}

function savingsReply({ energyUsed, burnCost, saved }: Savings) {
  return {
    energy_used: energyUsed,
    burn_cost_trx: formatTrx(burnCost),
    saved_trx: formatTrx(saved),
  }
}

function subscriptionReply(sub: SubscriptionView) {
  const time = (moment: Date | null) => moment?.toISOString() ?? null
  const trx = (amount: bigint | null) => (amount === null ? null : formatTrx(amount))
  return {
    id: sub.id,
    address: sub.address,
    status: sub.status,
    plan: planReply({ ...sub, name: sub.planName }),
    tx_used_total: Number(sub.used),
    quota_max_tx: sub.quota === null ? null : Number(sub.quota),
    idle_hours: Number(sub.idleHours),
    expire_at: time(sub.expireAt),
    created_at: sub.createdAt.toISOString(),
    activated_at: time(sub.activatedAt),
    last_activity_at: time(sub.lastActivityAt),
    closed_at: time(sub.closedAt),
    close_reason: sub.closeReason,
    run: Number(sub.activation),
    daily_budget_trx: trx(sub.dailyBudget),
    monthly_budget_trx: trx(sub.monthlyBudget),
    paused_until: time(sub.pausedUntil),
    spent_today_trx: formatTrx(sub.costs.spentToday),
    spent_this_month_trx: formatTrx(sub.costs.spentThisMonth),
    forecast_month_trx: formatTrx(sub.forecast),
    owed_trx: formatTrx(sub.owed),
    ...savingsReply(sub.savings),
  }
}
