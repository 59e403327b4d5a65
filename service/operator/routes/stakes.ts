import {
  getOperatorStakes,
  type HandledRoute,
  handle,
  postOperatorStakeApproval,
  postOperatorStakeOperation,
  postOperatorStakePreview,
  postOperatorStakeStop,
  type Refusal,
  refuse,
} from '@ergon/contract'
import { assert, formatTrx, isUuid, parseTrx } from '../../kernel/index.ts'
import type {
  Action,
  ListedOperation,
  StakedResource,
  StakeWish,
  StakingResponse,
} from '../../staking/index.ts'
import { readStakes } from '../stakes.ts'
import { type ConsoleDeps, missing } from './deps.ts'

const LISTED = 100

export function stakeRoutes(deps: ConsoleDeps): HandledRoute[] {
  const { staking } = deps.rooms
  const { actions } = deps.operator
  async function done(response: StakingResponse) {
    if ('refused' in response) return refuse('validation_error', { message: response.refused })
    const row = await staking.find(response.id)
    assert(row, `operation ${response.id} has just been written`)
    const { id, stake, action, amount, resource, state } = row
    return { reply: operationReply(row), change: { id, stake, action, amount, resource, state } }
  }
  return [
    handle(getOperatorStakes, () => shown(deps)),
    handle(postOperatorStakePreview, async (_caller, { body }) => {
      const wish = wishOf(body)
      if ('refused' in wish) return wish
      const plan = await staking.preview(wish)
      return 'refused' in plan
        ? { effects: [], why_not: plan.refused }
        : { effects: plan.effects, why_not: null }
    }),
    handle(postOperatorStakeOperation, async ({ account: by }, { body }) => {
      const wish = wishOf(body)
      if ('refused' in wish) return wish
      const what = `stake_${body.action}`
      const deed = { who: by, what, subject: body.stake ?? 'treasury', why: body.why }
      const said = { ...wish, reason: body.why, by }
      return actions.perform(deed, async () => done(await staking.request(said)))
    }),
    handle(postOperatorStakeApproval, async ({ account: by }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('operation')
      const { key, signature } = body
      const approval = { key, signature, ends: new Date(body.ends_at) }
      const deed = { who: by, what: 'approve_stake', subject: id, why: body.why }
      return actions.perform(deed, async () => done(await staking.approve(id, by, approval)))
    }),
    handle(postOperatorStakeStop, async ({ account: by }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('operation')
      const deed = { who: by, what: 'stop_stake', subject: id, why: body.why }
      return actions.perform(deed, async () => done(await staking.cancel(id, by)))
    }),
  ]
}

type Body = {
  stake?: string
  action: Action
  amount_trx?: string
  resource?: StakedResource
  shares?: string[]
  standing?: boolean
}

function wishOf(body: Body): StakeWish | Refusal {
  const { stake = '', action, resource, shares, standing: isStanding } = body
  const amount = body.amount_trx === undefined ? undefined : parseTrx(body.amount_trx)
  if (body.amount_trx !== undefined && amount === undefined) {
    return refuse('validation_error', { message: 'amount_trx must be a decimal, such as "10".' })
  }
  return { stake, action, amount, resource, shares, isStanding }
}

async function shown({ rooms }: ConsoleDeps) {
  const { staking } = rooms
  const [{ stakes, calendar }, operations, ground, standing] = await Promise.all([
    readStakes(rooms),
    staking.list(LISTED),
    staking.ground(),
    staking.standing(),
  ])
  return {
    stakes: stakes.map((one) => ({
      address: one.address,
      spendable_trx: formatTrx(one.spendable),
      energy_trx: formatTrx(one.energy),
      delegated_trx: formatTrx(one.delegated),
      bandwidth_trx: formatTrx(one.bandwidth),
      unfreezing_trx: formatTrx(one.unfreezing),
      withdrawable_trx: formatTrx(one.withdrawable),
      power: one.power,
      votes: one.votes,
      standing: standing.find(({ stake }) => stake === one.address)?.shares ?? [],
      reward_trx: formatTrx(one.reward),
      claimable_from: one.claimableFrom.toISOString(),
    })),
    calendar: calendar.map(({ stake, resource, amount, at }) => {
      return { stake, resource, amount_trx: formatTrx(amount), at: at.toISOString() }
    }),
    operations: operations.map(operationReply),
    approval: ground
      ? { chain: ground.chain, hot_address: ground.hot, ends_at: ground.ends.toISOString() }
      : null,
  }
}

const trxOf = (amount: bigint | null) => (amount === null ? null : formatTrx(amount))

function operationReply(row: ListedOperation) {
  return {
    id: row.id,
    stake: row.stake,
    action: row.action,
    amount_trx: trxOf(row.amount),
    amount_sun: row.amount,
    resource: row.resource,
    votes: row.votes,
    reason: row.reason,
    state: row.shown,
    attempt: Number(row.attempt),
    needs_approval: row.needsApproval,
    approvals: row.approvals.map(({ by, key, ends }) => ({ by, key, ends_at: ends.toISOString() })),
    requested_by: row.requestedBy,
    requested_at: row.requestedAt.toISOString(),
    cancelled_by: row.cancelledBy,
    txid: row.txid,
    block: row.block,
    moved_trx: trxOf(row.moved),
    trouble: row.trouble,
  }
}
