import {
  getOperatorAccount,
  getOperatorAccounts,
  getOperatorAdjustments,
  type HandledRoute,
  handle,
  isRefusal,
  postOperatorAdjustment,
  postOperatorAdjustmentApproval,
  postOperatorAdjustmentRefusal,
  postOperatorDiscount,
  type Refusal,
  refuse,
} from '@ergon/contract'
import { limitsReply } from '../../account/index.ts'
import { formatTrx, isUuid, parseTrx } from '../../kernel/index.ts'
import { findAccounts } from '../accounts.ts'
import type { AdjustmentRow } from '../store.ts'
import { type ConsoleDeps, missing } from './deps.ts'

const ENTRIES = 20

export function accountRoutes(deps: ConsoleDeps): HandledRoute[] {
  return [...findingRoutes(deps), ...adjustmentRoutes(deps)]
}

type Found = Awaited<ReturnType<typeof findAccounts>>[number]

export function accountReply(found: Found) {
  return {
    id: found.id,
    name: found.name,
    login: found.login,
    wallet: found.wallet,
    created_at: found.createdAt.toISOString(),
    present: found.present,
    balance_trx: formatTrx(found.balance),
    spendable_trx: formatTrx(found.spendable),
    vip_discount_bps: Number(found.discount),
    group: found.group,
    limits: limitsReply(found.limits),
    blocked: found.block
      ? { reason: found.block.reason, since: found.block.since.toISOString() }
      : null,
  }
}

function findingRoutes({ rooms, operator }: ConsoleDeps): HandledRoute[] {
  const find = async (id: string) =>
    isUuid(id) ? (await findAccounts(rooms, id, 1)).find((one) => one.id === id) : undefined
  return [
    handle(getOperatorAccounts, async (_caller, { query: { search = '', limit } }) => ({
      accounts: (await findAccounts(rooms, search.trim(), limit)).map(accountReply),
    })),
    handle(getOperatorAccount, async (_caller, { params: { id } }) => {
      const found = await find(id)
      if (!found) return missing('account')
      const [deposit_address, deposited, page, accepted] = await Promise.all([
        rooms.addresses.depositAddressOf(id),
        rooms.deposits.confirmedTotal(id),
        rooms.ledger.entries(id, { limit: ENTRIES, cursor: undefined }),
        rooms.terms.acceptedBy(id),
      ])
      const entries = page === 'invalid_cursor' ? [] : page.entries
      return {
        ...accountReply(found),
        deposit_address,
        deposited_trx: formatTrx(deposited),
        accepted: accepted.map(({ at, ...one }) => ({ ...one, at: at.toISOString() })),
        entries: entries.map((entry) => ({
          entry_type: entry.kind,
          amount_trx: formatTrx(entry.amount),
          balance_after_trx: formatTrx(entry.balanceAfter),
          description: entry.description,
          created_at: entry.createdAt.toISOString(),
        })),
      }
    }),
    handle(postOperatorDiscount, async ({ account: who }, { params: { id }, body }) => {
      const before = await find(id)
      if (!before) return missing('account')
      const { basis_points, why } = body
      return operator.actions.perform({ who, what: 'discount', subject: id, why }, async () => {
        await rooms.pricing.setDiscount(id, BigInt(basis_points))
        const change = { before: before.discount, after: basis_points }
        return { reply: accountReply((await find(id)) ?? before), change }
      })
    }),
  ]
}

function adjustmentRoutes({ operator }: Pick<ConsoleDeps, 'operator'>): HandledRoute[] {
  const { actions, adjustments } = operator
  const deedOn = (who: string, what: string, subject: string, why: string) => ({
    who,
    what,
    subject,
    why,
  })
  const done = (row: AdjustmentRow | Refusal) => {
    if (isRefusal(row)) return row
    const { account, amount, state } = row
    return { reply: adjustmentReply(row), change: { id: row.id, account, amount, state } }
  }
  return [
    handle(getOperatorAdjustments, async () => ({
      limit_trx: formatTrx(adjustments.limit),
      adjustments: (await adjustments.list()).map(adjustmentReply),
    })),
    handle(postOperatorAdjustment, async ({ account: by }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('account')
      const amount = parseTrx(body.amount_trx)
      if (amount === undefined) {
        const message = 'amount_trx must be a decimal with at most 6 places, such as "-2.5".'
        return refuse('validation_error', { message })
      }
      return actions.perform(deedOn(by, 'adjust', id, body.why), async () =>
        done(await adjustments.request({ account: id, amount, reason: body.why, by })),
      )
    }),
    handle(postOperatorAdjustmentApproval, ({ account: by }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('adjustment')
      return actions.perform(deedOn(by, 'approve_adjustment', id, body.why), async () =>
        done(await adjustments.approve(id, by)),
      )
    }),
    handle(postOperatorAdjustmentRefusal, ({ account: by }, { params: { id }, body }) => {
      if (!isUuid(id)) return missing('adjustment')
      return actions.perform(deedOn(by, 'refuse_adjustment', id, body.why), async () =>
        done(await adjustments.refuse(id, by)),
      )
    }),
  ]
}

function adjustmentReply(row: AdjustmentRow) {
  return {
    id: row.id,
    account_id: row.account,
    amount_sun: row.amount,
    amount_trx: formatTrx(row.amount),
    reason: row.reason,
    state: row.state,
    requested_by: row.requestedBy,
    requested_at: row.requestedAt.toISOString(),
    decided_by: row.decidedBy,
  }
}
