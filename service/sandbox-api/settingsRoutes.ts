import {
  type Call,
  getSandboxProviders,
  type HandledRoute,
  handle,
  postSandboxAdminPause,
  postSandboxProvider,
  postSandboxSettings,
  refuse,
} from '@ergon/contract'
import { type Agent, configReply } from '../agent/index.ts'
import type { AutoEnergy } from '../autoenergy/index.ts'
import type { Orders } from '../orders/index.ts'
import { PLAN_WRONG, type Pricing, planOf, planReply } from '../pricing/index.ts'
import type { Providers } from '../providers/index.ts'

type Deps = {
  agent: Agent
  autoenergy: AutoEnergy
  orders: Orders
  pricing: Pricing
  providers: Providers
}

/** Scripted faults of the providers, and the operator's settings. */
export function settingsRoutes(deps: Deps): HandledRoute[] {
  return [...providerRoutes(deps), ...operatorRoutes(deps)]
}

function providerRoutes({ providers }: Deps): HandledRoute[] {
  const list = async () => {
    const offers = new Map(providers.offers().map((offer) => [offer.provider, offer]))
    return (await providers.list()).map(({ name, behaviour, unitPrice }) => ({
      name,
      behaviour,
      price_sun: offers.get(name)?.unitPrice ?? unitPrice,
      capacity: offers.get(name)?.capacity ?? 0n,
    }))
  }
  return [
    handle(getSandboxProviders, async () => ({ providers: await list() })),
    handle(postSandboxProvider, async (_caller, { params, body }) => {
      const find = async () => (await list()).find(({ name }) => name === params.name)
      const unknown = refuse('validation_error', {
        message: 'No such provider; see GET /sandbox/providers.',
      })
      // Look up in the list first: a name from a path may contain characters that PostgreSQL cannot compare.
      if (!(await find())) return unknown
      const unitPrice = body.price_sun === undefined ? undefined : BigInt(body.price_sun)
      const capacity = body.capacity === undefined ? undefined : BigInt(body.capacity)
      const { behaviour, delay_ms: delayMs } = body
      await providers.change(params.name, { behaviour, unitPrice, capacity, delayMs })
      return (await find()) ?? unknown
    }),
  ]
}

function operatorRoutes({ agent, autoenergy, orders, pricing }: Deps): HandledRoute[] {
  return [
    handle(postSandboxAdminPause, async (_caller, { params }) =>
      configReply(agent, await agent.configs.adminPause(params.id)),
    ),
    handle(postSandboxSettings, async (_caller, { body }) => {
      const { schedule, min_amount, max_amount, purchases_enabled, autoenergy_enabled } = body
      const plans = body.plans?.map(planOf)
      if (plans && !plans.every((plan) => plan !== undefined)) {
        return refuse('validation_error', { message: PLAN_WRONG })
      }
      const change = {
        ...(schedule && { schedule: schedule.map(BigInt) }),
        ...(min_amount !== undefined && { minAmount: BigInt(min_amount) }),
        ...(max_amount !== undefined && { maxAmount: BigInt(max_amount) }),
      }
      const after = { ...pricing.terms(), ...change }
      if (after.minAmount > after.maxAmount) {
        return refuse('validation_error', { message: 'min_amount must not be above max_amount.' })
      }
      await pricing.changeTerms(change)
      if (purchases_enabled !== undefined) await orders.setSelling(purchases_enabled, null)
      if (plans) await pricing.changePlans(plans)
      if (autoenergy_enabled !== undefined) await autoenergy.setEnabled(autoenergy_enabled, '')
      const terms = pricing.terms()
      const agentTerms = await agent.changeTerms(agentChange(body))
      return {
        schedule: [...terms.schedule],
        min_amount: terms.minAmount,
        max_amount: terms.maxAmount,
        purchases_enabled: (await orders.selling()).enabled,
        agent_enabled: agentTerms.enabled,
        min_balance_sun: agentTerms.minBalance,
        max_configs: agentTerms.maxConfigs,
        max_generated: agentTerms.maxGenerated,
        autoenergy_enabled: (await autoenergy.enabled()).enabled,
        plans: pricing.plans().map(planReply),
      }
    }),
  ]
}

type Asked = Call<typeof postSandboxSettings>['body']

function agentChange({ agent_enabled, min_balance_sun, max_configs, max_generated }: Asked) {
  return {
    ...(agent_enabled !== undefined && { enabled: agent_enabled }),
    ...(min_balance_sun !== undefined && { minBalance: BigInt(min_balance_sun) }),
    ...(max_configs !== undefined && { maxConfigs: BigInt(max_configs) }),
    ...(max_generated !== undefined && { maxGenerated: BigInt(max_generated) }),
  }
}
