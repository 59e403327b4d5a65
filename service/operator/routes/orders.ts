import {
  getOperatorDecisionEffect,
  getOperatorOrder,
  getOperatorOrders,
  getOperatorUndecided,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorDecision,
  refuse,
} from '@ergon/contract'
import { formatTrx, isUuid } from '../../kernel/index.ts'
import { creditReply, type Order, orderReply } from '../../orders/index.ts'
import { decide } from '../decide.ts'
import { orderHistory, proofPath } from '../orderHistory.ts'
import { type ConsoleDeps, isoOf, missing } from './deps.ts'

const replyOf = (order: Order, names: Map<string, string>) => ({
  account_id: order.account,
  account_name: names.get(order.account) ?? '',
  ...orderReply(order),
})

export function orderRoutes(deps: ConsoleDeps): HandledRoute[] {
  return [...readingRoutes(deps), ...undecidedRoutes(deps)]
}

function readingRoutes({ rooms }: ConsoleDeps): HandledRoute[] {
  const { accounts, orders, delivery } = rooms
  return [
    handle(getOperatorOrders, async (_caller, { query }) => {
      const { status, account, receiver, before, limit } = query
      if (account && !isUuid(account)) return { orders: [] }
      const after = before && isUuid(before) ? before : undefined
      const found = await orders.search({
        status,
        account: account || undefined,
        receiver: receiver || undefined,
        before: after,
        limit,
      })
      const names = await accounts.namesOf(found.map((order) => order.account))
      return { orders: found.map((order) => replyOf(order, names)) }
    }),
    handle(getOperatorOrder, async (_caller, { params: { id } }) => {
      const order = isUuid(id) ? await orders.findAny(id) : undefined
      if (!order) return missing('order')
      const [story, credits, names, history] = await Promise.all([
        delivery.outlook.storyOf(id),
        orders.creditsOf(id),
        accounts.namesOf([order.account]),
        orderHistory(rooms, order),
      ])
      return {
        order: replyOf(order, names),
        deadline_at: isoOf(story?.deadlineAt),
        choice: story?.choice ?? [],
        steps: (story?.steps ?? []).map((step) => ({
          provider: step.provider,
          energy: step.energy,
          cost_trx: formatTrx(step.cost),
          part_state: step.partState,
          attempt_state: step.state,
          reason: step.reason ?? step.response ?? step.partReason,
          txid: step.txid,
          at: isoOf(step.at),
          delegated_at: isoOf(step.delegatedAt),
          reclaimed_at: isoOf(step.reclaimedAt),
        })),
        credits: credits.map(creditReply),
        history: history.map((one) => ({ ...one, at: one.at.toISOString() })),
        proof_path: proofPath(id),
      }
    }),
  ]
}

function undecidedRoutes({ rooms, operator }: ConsoleDeps): HandledRoute[] {
  const { undecided } = rooms.delivery
  return [
    handle(getOperatorUndecided, async () => ({
      undecided: (await undecided.list()).map((row) => ({
        id: row.attempt,
        order_id: row.requestId,
        provider: row.provider,
        energy: row.energy,
        cost_trx: formatTrx(row.cost),
        receiver: row.receiver,
        reason: row.reason,
        evidence: row.evidence,
        since: row.since.toISOString(),
        decidable: row.state !== 'open',
      })),
    })),
    handle(postOperatorDecision, async ({ account: who }, { params: { id }, body }) => {
      const { decision: as, energy, why } = body
      const isKnown = (await undecided.list()).some(({ attempt }) => attempt === id)
      if (!isKnown) return missing('undecided delivery')
      const decision = { as, energy: energy === undefined ? undefined : BigInt(energy) }
      const decided = await decide(
        { undecided, actions: operator.actions },
        { id, decision, who, why },
      )
      if (isRefusal(decided)) return decided
      return { id, decision: as, booked_trx: formatTrx(decided.booked) }
    }),
    handle(getOperatorDecisionEffect, async (_caller, { params: { id }, query }) => {
      const energy = query.energy === undefined ? undefined : BigInt(query.energy)
      const effect = await undecided.effectOf(id, { as: query.decision, energy })
      if (typeof effect === 'string') return refuse('validation_error', { message: effect })
      const { booked, sentence } = effect
      return { energy: effect.energy, booked_trx: formatTrx(booked), sentence }
    }),
  ]
}
