import {
  getOperatorPayouts,
  getOperatorTreasury,
  type HandledRoute,
  handle,
  postOperatorPayout,
  postOperatorPayoutApproval,
  postOperatorPayoutCancellation,
  postOperatorReconciliation,
  refuse,
} from '@ergon/contract'
import type { ListedPayout, Payouts } from '../../deposits/index.ts'
import { assert, formatTrx, isUuid, parseTrx } from '../../kernel/index.ts'
import { type ConsoleDeps, missing } from './deps.ts'
import { reconciliationOf } from './status.ts'

const LISTED = 100

export function treasuryRoutes(deps: ConsoleDeps): HandledRoute[] {
  return [...moneyRoutes(deps), ...payoutRoutes(deps)]
}

function moneyRoutes({ rooms: { deposits }, operator }: ConsoleDeps): HandledRoute[] {
  return [
    handle(getOperatorTreasury, async () => {
      const [treasury, unverified, recorded] = await Promise.all([
        deposits.treasury(),
        deposits.unverified(),
        deposits.reconciling().recorded(),
      ])
      return {
        reconciliation: recorded ? reconciliationOf(recorded) : null,
        held_trx: formatTrx(treasury.held),
        held_addresses: treasury.addresses,
        unverified_credit_trx: formatTrx(unverified.lent),
        unverified_credit_max_trx: formatTrx(unverified.most),
        open_sweeps: treasury.openSweeps,
        refused_sweeps: treasury.refusedSweeps,
        payouts_requested: treasury.payoutsRequested,
        payouts_under_way: treasury.payoutsUnderWay,
      }
    }),
    handle(postOperatorReconciliation, ({ account: who }) => {
      const deed = { who, what: 'reconcile', subject: 'treasury', why: 'asked for at the console' }
      return operator.actions.perform(deed, async () => {
        await deposits.reconciling().reconcile()
        const recorded = await deposits.reconciling().recorded()
        assert(recorded, 'the reconciliation has just been written')
        return { reply: reconciliationOf(recorded), change: { surplus: recorded.surplus } }
      })
    }),
  ]
}

function payoutRoutes({ rooms: { accounts, deposits }, operator }: ConsoleDeps): HandledRoute[] {
  const { payouts } = deposits
  const { actions } = operator
  /** A refusal of the treasury is a sentence; a success names the payout. */
  async function done(response: Awaited<ReturnType<Payouts['approve']>>) {
    if ('refused' in response) return refuse('validation_error', { message: response.refused })
    const row = await payouts.find(response.id)
    assert(row, `payout ${response.id} has just been written`)
    const { account, to, amount, state } = row
    return { reply: payoutReply(row), change: { id: response.id, account, to, amount, state } }
  }
  return [
    handle(getOperatorPayouts, async () => {
      const ground = await payouts.ground()
      return {
        payouts: (await payouts.list(LISTED)).map(payoutReply),
        approval: ground
          ? { chain: ground.chain, hot_address: ground.hot, ends_at: ground.ends.toISOString() }
          : null,
      }
    }),
    handle(postOperatorPayout, async ({ account: by }, { params: { id }, body }) => {
      const amount = parseTrx(body.amount_trx)
      if (amount === undefined) {
        return refuse('validation_error', {
          message: 'amount_trx must be a decimal, such as "10".',
        })
      }
      const known = isUuid(id) && (await accounts.profileOf(id))
      if (!known) return missing('account')
      const want = { account: id, to: body.to.trim(), amount, reason: body.why, by }
      const deed = { who: by, what: 'payout', subject: id, why: body.why }
      return actions.perform(deed, async () => done(await payouts.request(want)))
    }),
    handle(postOperatorPayoutApproval, async ({ account: by }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('payout')
      const deed = { who: by, what: 'approve_payout', subject: id, why: body.why }
      const { key, signature } = body
      const approval = { key, signature, ends: new Date(body.ends_at) }
      return actions.perform(deed, async () => done(await payouts.approve(id, by, approval)))
    }),
    handle(postOperatorPayoutCancellation, async ({ account: by }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('payout')
      const deed = { who: by, what: 'cancel_payout', subject: id, why: body.why }
      return actions.perform(deed, async () => done(await payouts.cancel(id, by)))
    }),
  ]
}

function payoutReply(row: ListedPayout) {
  return {
    id: row.id,
    account_id: row.account,
    to: row.to,
    amount_trx: formatTrx(row.amount),
    amount_sun: row.amount,
    reason: row.reason,
    state: row.state,
    attempt: Number(row.attempt),
    approvals: row.approvals.map(({ by, key, ends }) => ({ by, key, ends_at: ends.toISOString() })),
    signed: row.signed.map(({ attempt, txid }) => ({ attempt: Number(attempt), txid })),
    requested_by: row.requestedBy,
    approved_by: row.approvedBy,
    cancelled_by: row.cancelledBy,
    txid: row.txid,
    trouble: row.trouble,
  }
}
