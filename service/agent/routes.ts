import {
  deleteAgentConfig,
  EventStream,
  getAgentConfigs,
  getAgentPayments,
  getAgentQuote,
  getAgentSummary,
  getPay,
  getPayCheck,
  getPayLive,
  type HandledRoute,
  handle,
  isRefusal,
  type PayLanguage,
  patchAgentConfig,
  postAgentConfig,
  postAgentDeliver,
  postAgentPause,
  postAgentResume,
  type Refusal,
  refuse,
} from '@ergon/contract'
import type { Ledger } from '../ledger/index.ts'
import type { Pricing } from '../pricing/index.ts'
import type { Agent } from './agent.ts'
import type { Config } from './config.ts'
import type { LivePayment } from './live.ts'
import { messageOf, type PayerMessages } from './messages.ts'
import { addressOf } from './payer.ts'
import type { Payment } from './payment.ts'
import type { SumsRow } from './reads.sql.ts'
import type { WithStats } from './reads.ts'
import { isSellable, noConfig } from './rules.ts'

type Deps = {
  agent: Agent
  ledger: Ledger
  pricing: Pricing
  payerMessages(language: PayLanguage): PayerMessages
}

const QUOTED = 65_000n

export function agentRoutes(deps: Deps): HandledRoute[] {
  return [...summaryRoutes(deps), ...configRoutes(deps), ...payRoutes(deps)]
}

function summaryRoutes({ agent, ledger, pricing }: Deps): HandledRoute[] {
  const quoteOf = (account: string, energy: bigint) => {
    const { now, min, max } = pricing.costOver(account, energy)
    return { energy, cost_now_sun: now, cost_min_sun: min, cost_max_sun: max, timezone: 'UTC' }
  }
  return [
    handle(getAgentSummary, async ({ account }) => {
      const [terms, { balance }, totals] = await Promise.all([
        agent.configs.terms(),
        ledger.balanceOf(account),
        agent.reads.totals(account),
      ])
      const { minAmount, maxAmount } = pricing.terms()
      return {
        account_id: account,
        enabled: terms.enabled,
        min_balance_sun: terms.minBalance,
        balance_sun: balance,
        can_activate: balance >= terms.minBalance,
        max_configs: terms.maxConfigs,
        max_generated: terms.maxGenerated,
        max_units_cap: terms.maxUnitsCap,
        energy_min: minAmount,
        energy_max: maxAmount,
        quote_65k: quoteOf(account, QUOTED),
        totals: sumsOf(totals),
      }
    }),
    handle(getAgentQuote, ({ account }, { query }) => {
      const energy = BigInt(query.energy)
      return isSellable(pricing, energy) ? quoteOf(account, energy) : refuse('energy_out_of_bounds')
    }),
  ]
}

function configRoutes({ agent }: Deps): HandledRoute[] {
  const { configs, reads } = agent
  return [
    handle(getAgentConfigs, async ({ account }) => ({
      items: (await reads.list(account)).map(configOf),
    })),
    handle(postAgentConfig, async ({ account }, { body }) =>
      configReply(
        agent,
        await agent.create(account, {
          mode: body.mode,
          address: body.address ?? '',
          title: (body.title ?? '').trim(),
          energyPerUnit: BigInt(body.energy_per_unit),
          basePayment: BigInt(body.base_payment_sun),
          maxUnits: BigInt(body.max_units),
          ownershipSignature: body.ownership_signature,
        }),
      ),
    ),
    handle(patchAgentConfig, async ({ account }, { params, body }) => {
      const { title, energy_per_unit, base_payment_sun, max_units } = body
      const change = {
        ...(title !== undefined && { title: title.trim() }),
        ...(energy_per_unit !== undefined && { energyPerUnit: BigInt(energy_per_unit) }),
        ...(base_payment_sun !== undefined && { basePayment: BigInt(base_payment_sun) }),
        ...(max_units !== undefined && { maxUnits: BigInt(max_units) }),
      }
      return configReply(agent, await configs.patch(account, params.id, change))
    }),
    handle(postAgentPause, async ({ account }, { params }) =>
      configReply(agent, await configs.pause(account, params.id)),
    ),
    handle(postAgentResume, async ({ account }, { params }) =>
      configReply(agent, await configs.resume(account, params.id)),
    ),
    handle(deleteAgentConfig, ({ account }, { params }) => configs.remove(account, params.id)),
    handle(getAgentPayments, async ({ account }, { query }) => {
      const { page, page_size: pageSize } = query
      // An empty filter is none.
      const filter = { configId: query.config_id || undefined, status: query.status || undefined }
      const rows = await reads.payments(account, { ...filter, page, pageSize })
      const items = rows.slice(0, pageSize).map(paymentOf)
      return { items, page, page_size: pageSize, has_more: rows.length > pageSize }
    }),
    handle(postAgentDeliver, async ({ account }, { params }) => {
      const delivering = await agent.deliver(account, params.id)
      return isRefusal(delivering) ? delivering : paymentOf(delivering)
    }),
  ]
}

function payRoutes({ agent, payerMessages }: Deps): HandledRoute[] {
  return [
    handle(getPay, async (_caller, { params }) => {
      const offer = await agent.reads.findOffer(params.public_id)
      if (!offer) return noConfig()
      return {
        public_id: offer.publicId,
        title: offer.title,
        address: offer.address,
        energy_per_unit: offer.energyPerUnit,
        base_payment_sun: offer.basePayment,
        max_units: offer.maxUnits,
        available: offer.available,
        referral_code: offer.referralCode,
      }
    }),
    handle(getPayCheck, async (_caller, { params, query }) => {
      const page = await agent.reads.findPage(params.public_id)
      if (!page) return noConfig()
      const answer = await agent.checkPayer(page, query.address)
      const message = payerMessages(query.lang ?? 'en').check[answer]
      return { can_receive: answer === 'able', message }
    }),
    handle(getPayLive, async (_caller, { params, query }) => {
      const page = await agent.reads.findPage(params.public_id)
      if (!page) return noConfig()
      const { payer } = query
      if (!addressOf(payer)) return refuse('address_invalid')
      const messages = payerMessages(query.lang ?? 'en')
      const { account, id: configId } = page
      return new EventStream((send) =>
        agent.live.follow({ account, configId, payer }, (p) => send(livePaymentOf(p, messages))),
      )
    }),
  ]
}

/** A configuration as the contract shows it, with its sums. */
export async function configReply(agent: Agent, config: Config | Refusal) {
  if (isRefusal(config)) return config
  const [shown] = await agent.reads.withStats([config])
  return configOf(shown!)
}

function configOf({ config, stats }: WithStats) {
  return {
    id: config.id,
    public_id: config.publicId,
    mode: config.mode,
    address: config.address,
    title: config.title,
    energy_per_unit: config.energyPerUnit,
    base_payment_sun: config.basePayment,
    max_units: config.maxUnits,
    status: config.status,
    pause_reason: config.pauseReason,
    proven: config.proven,
    created_at: config.createdAt.toISOString(),
    updated_at: config.updatedAt.toISOString(),
    stats: { ...sumsOf(stats), last_sale_at: stats.lastSaleAt?.toISOString() ?? null },
  }
}

function sumsOf({ sales, energy, revenue, cost }: SumsRow) {
  return { sales, energy, revenue_sun: revenue, cost_sun: cost }
}

function paymentOf(payment: Payment) {
  return {
    id: payment.id,
    config_id: payment.configId,
    tx_hash: payment.txid,
    payer: payment.payer,
    amount_sun: payment.amount,
    units: payment.units,
    energy: payment.energy,
    cost_sun: payment.cost,
    base_payment_sun: payment.basePayment,
    energy_per_unit: payment.energyPerUnit,
    status: payment.status,
    skip_reason: payment.skipReason,
    order_id: payment.orderId,
    orphaned: payment.orphaned,
    created_at: payment.createdAt.toISOString(),
  }
}

function livePaymentOf(payment: LivePayment, messages: PayerMessages) {
  return {
    tx_hash: payment.txid,
    amount_sun: payment.amount,
    units: payment.units,
    energy: payment.energy,
    status: payment.status,
    message: messageOf(payment, messages),
    delegation_txids: payment.delegations,
    usable_until: payment.usableUntil?.toISOString() ?? null,
  }
}
