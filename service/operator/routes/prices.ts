import {
  getOperatorAgents,
  getOperatorPlans,
  getOperatorProviders,
  getOperatorSchedule,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorAgentPause,
  postOperatorAgentRelease,
  postOperatorPlans,
  postOperatorSchedule,
  postOperatorSchedulePreview,
  type Refusal,
  refuse,
} from '@ergon/contract'
import type { Config } from '../../agent/index.ts'
import { formatTrx, isUuid, sun } from '../../kernel/index.ts'
import { PLAN_WRONG, planOf, planReply, type Terms } from '../../pricing/index.ts'
import type { Wish } from '../prices.ts'
import { type ConsoleDeps, isoOf, missing } from './deps.ts'

const CONFIGS = 200

export function priceRoutes(deps: ConsoleDeps): HandledRoute[] {
  return [
    ...providerRoutes(deps),
    ...scheduleRoutes(deps),
    ...planRoutes(deps),
    ...agentRoutes(deps),
  ]
}

function providerRoutes({ rooms }: ConsoleDeps): HandledRoute[] {
  return [
    handle(getOperatorProviders, async () => ({
      providers: (await rooms.providers.health()).map((row) => ({
        name: row.name,
        enabled: row.enabled,
        healthy: row.unable === null,
        trouble: row.unable,
        price_sun: row.unitPrice,
        capacity: row.capacity,
        fill_rate_bps: Number(row.fillBps),
        failures: Number(row.failures),
        shut_until: isoOf(row.shutUntil),
        seen_at: isoOf(row.seenAt),
        float_trx: row.float === null ? null : formatTrx(row.float),
        float_seen_at: isoOf(row.floatSeenAt),
      })),
    })),
  ]
}

function termsReply({ schedule, minAmount, maxAmount, marginFloor }: Terms) {
  return {
    schedule: [...schedule],
    min_amount: minAmount,
    max_amount: maxAmount,
    margin_floor_sun: marginFloor,
  }
}

type Named = {
  schedule?: number[] | undefined
  min_amount?: number
  max_amount?: number
  margin_floor_sun?: number
}

function wishOf({ schedule, min_amount, max_amount, margin_floor_sun }: Named): Wish {
  return {
    ...(schedule && { schedule: schedule.map(BigInt) }),
    ...(min_amount !== undefined && { minAmount: BigInt(min_amount) }),
    ...(max_amount !== undefined && { maxAmount: BigInt(max_amount) }),
    ...(margin_floor_sun !== undefined && { marginFloor: BigInt(margin_floor_sun) }),
  }
}

function scheduleRoutes({ rooms: { pricing }, operator }: ConsoleDeps): HandledRoute[] {
  const { actions, prices } = operator
  return [
    handle(getOperatorSchedule, () => termsReply(pricing.terms())),
    handle(postOperatorSchedulePreview, async (_caller, { body }) => {
      const effect = await prices.preview(wishOf(body))
      return {
        wholesale_sun: effect.wholesale,
        hours: effect.hours.map(({ hour, was, price, margin }) => ({
          hour,
          was_sun: was,
          price_sun: price,
          margin_sun: margin,
        })),
        hours_below_cost: effect.hoursBelowCost,
        last_week: {
          energy: effect.lastWeek.energy,
          revenue_trx: formatTrx(sun(effect.lastWeek.revenue)),
          proposed_trx: formatTrx(sun(effect.lastWeek.proposed)),
        },
        agents_at_risk: effect.atRisk.map((risk) => ({
          config_id: risk.id,
          account_id: risk.account,
          title: risk.title,
          base_payment_sun: risk.basePayment,
          cost_max_sun: risk.costMax,
          outside: risk.outside,
          already: risk.already,
        })),
      }
    }),
    handle(postOperatorSchedule, async ({ account: who }, { body }) => {
      const deed = { who, what: 'schedule', subject: 'prices', why: body.why }
      const terms = await actions.perform<Terms>(deed, () =>
        prices.save(wishOf(body), wishOf({ schedule: body.was, ...body.was_bounds })),
      )
      return isRefusal(terms) ? terms : termsReply(terms)
    }),
  ]
}

function planRoutes({ rooms: { pricing }, operator }: ConsoleDeps): HandledRoute[] {
  const replies = () => pricing.plans().map(planReply)
  return [
    handle(getOperatorPlans, () => ({ plans: replies() })),
    handle(postOperatorPlans, ({ account: who }, { body }) => {
      const wanted = body.plans.flatMap((plan) => planOf(plan) ?? [])
      if (wanted.length !== body.plans.length) {
        return refuse('validation_error', { message: PLAN_WRONG })
      }
      if (new Set(wanted.map(({ name }) => name)).size !== wanted.length) {
        return refuse('validation_error', { message: 'Two plans have the same name.' })
      }
      const deed = { who, what: 'plans', subject: 'autoenergy', why: body.why }
      return operator.actions.perform(deed, async () => {
        const before = replies()
        await pricing.changePlans(wanted)
        return { reply: { plans: replies() }, change: { before, after: replies() } }
      })
    }),
  ]
}

function agentRoutes({ rooms: { agent }, operator }: ConsoleDeps): HandledRoute[] {
  const done = (config: Config | Refusal) => {
    if (isRefusal(config)) return config
    const { status, pauseReason } = config
    return { reply: configReply(config), change: { status, pause_reason: pauseReason } }
  }
  const { actions } = operator
  return [
    handle(getOperatorAgents, async (_caller, { query: { account } }) => {
      if (account && !isUuid(account)) return { configs: [] }
      const found = await agent.configs.search(account || undefined, CONFIGS)
      return { configs: found.map(configReply) }
    }),
    handle(postOperatorAgentPause, ({ account: who }, { params: { id }, body: { why } }) => {
      if (!isUuid(id)) return missing('configuration')
      return actions.perform({ who, what: 'pause_agent', subject: id, why }, async () =>
        done(await agent.configs.adminPause(id)),
      )
    }),
    handle(postOperatorAgentRelease, ({ account: who }, { params: { id }, body: { why } }) => {
      if (!isUuid(id)) return missing('configuration')
      return actions.perform({ who, what: 'release_agent', subject: id, why }, async () =>
        done(await agent.configs.adminRelease(id)),
      )
    }),
  ]
}

function configReply(config: Config) {
  return {
    id: config.id,
    account_id: config.account,
    title: config.title,
    address: config.address,
    mode: config.mode,
    energy_per_unit: config.energyPerUnit,
    base_payment_sun: config.basePayment,
    status: config.status,
    pause_reason: config.pauseReason,
  }
}
