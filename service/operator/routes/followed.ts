import {
  getOperatorFollowed,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorFollowed,
  postOperatorFollowedEnd,
  postOperatorFollowedReplay,
} from '@ergon/contract'
import { formatTrx, sun } from '../../kernel/index.ts'
import { type FollowRule, type FollowTerms, unitPriceAt } from '../../pricing/index.ts'
import { beginRule, endRule } from '../followed.ts'
import type { Half, Trial } from '../trial.ts'
import { type ConsoleDeps, isoOf } from './deps.ts'

export function followedRoutes({ rooms, operator, clock }: ConsoleDeps): HandledRoute[] {
  const { pricing } = rooms
  const deps = { pricing, clients: rooms.clients, operator }
  return [
    handle(getOperatorFollowed, async () => {
      const trials: Trial[] = []
      for (const rule of await pricing.experiments()) trials.push(await operator.trial(rule))
      return {
        schedule_sun: unitPriceAt(pricing.terms(), clock.now()),
        public_sun: pricing.unitPrice(),
        wholesale_sun: pricing.wholesale() ?? null,
        rules: pricing
          .followed()
          .filter(({ rule }) => !rule.isExperiment)
          .map(({ rule, price }) => ({ ...ruleReply(rule), price_sun: price?.unit ?? null })),
        experiments: trials.map(trialReply),
      }
    }),
    handle(postOperatorFollowedReplay, async (_caller, { body }) => {
      const { orders, energy, was, would, unknown } = await operator.replay(termsOf(body))
      return {
        orders,
        energy,
        was: soldReply(was),
        would: { orders: would.orders, energy: would.energy, ...soldReply(would) },
        unknown,
      }
    }),
    handle(postOperatorFollowed, async ({ account: who }, { body }) => {
      const rule = await beginRule(deps, { who, why: body.why }, termsOf(body), body.days)
      return isRefusal(rule) ? rule : ruleReply(rule)
    }),
    handle(postOperatorFollowedEnd, ({ account: who }, { body }) => {
      const { group, experiment, why } = body
      return endRule(deps, { who, why }, { group: group ?? '', experiment })
    }),
  ]
}

type Body = {
  group?: string | null | undefined
  margin_sun: number
  change_max_sun: number
  amount_max: number
}

const termsOf = ({ group, ...body }: Body): FollowTerms => ({
  group: group ?? '',
  margin: BigInt(body.margin_sun),
  changeMax: BigInt(body.change_max_sun),
  amountMax: BigInt(body.amount_max),
})

const ruleReply = (rule: FollowRule) => ({
  id: rule.id,
  group: rule.group,
  margin_sun: rule.margin,
  change_max_sun: rule.changeMax,
  amount_max: rule.amountMax,
  began_at: rule.beganAt.toISOString(),
  ends_at: isoOf(rule.endsAt),
})

const trx = (amount: bigint) => formatTrx(sun(amount))
const soldReply = ({ revenue, cost }: { revenue: bigint; cost: bigint }) => ({
  revenue_trx: trx(revenue),
  margin_trx: trx(revenue - cost),
})

const halfReply = ({ accounts, orders, energy, revenue, margin }: Half) => ({
  accounts,
  orders,
  energy,
  revenue_trx: trx(revenue),
  margin_trx: trx(margin),
})

function trialReply({ rule, tried, others, difference, unknown }: Trial) {
  return {
    rule: ruleReply(rule),
    tried: halfReply(tried),
    others: halfReply(others),
    difference: difference && {
      mean_trx: trx(difference.mean),
      low_trx: trx(difference.low),
      high_trx: trx(difference.high),
    },
    unknown,
  }
}
