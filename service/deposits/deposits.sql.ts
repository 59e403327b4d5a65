import { statement } from '../db/index.ts'
import { COLUMNS, type DepositRow } from './store.ts'

export const waitingRevenue = statement<{ amount: bigint }>(
  'deposits.waitingRevenue',
  `
  select amount_sun as amount from deposits.deposit
   where txid = $1 and position = $2 and kind = 'agent_revenue' and not posted and block_number is not null
`,
)

export const listDeposits = statement<DepositRow>(
  'deposits.listDeposits',
  `
  select ${COLUMNS}
    from deposits.deposit
   where account_id = $1 and kind = 'deposit'
   order by created_at desc, id desc
   limit $2 offset $3
`,
)

export const findByTransaction = statement<{ account: string; status: string }>(
  'deposits.findByTransaction',
  `
  select account_id as account, status from deposits.deposit where txid = $1
`,
)

/** Credited and not reverted. */
export const confirmedTotal = statement<{ total: bigint }>(
  'deposits.confirmedTotal',
  `
  select coalesce(sum(amount_sun), 0)::bigint as total
    from deposits.deposit where account_id = $1 and status = 'confirmed'
`,
)

export const setSwitch = statement(
  'deposits.setSwitch',
  `
  update deposits.switch set sweeps_enabled = $1, reason = $2
`,
)

export type TreasuryRow = {
  held: bigint
  addresses: bigint
  openSweeps: bigint
  refusedSweeps: bigint
  payoutsRequested: bigint
  payoutsUnderWay: bigint
}

export const readTreasury = statement<TreasuryRow>(
  'deposits.readTreasury',
  `
  select (select coalesce(sum(amount_sun), 0)::bigint from deposits.holding where amount_sun > 0) as held,
         (select count(*) from deposits.holding where amount_sun > 0) as addresses,
         (select count(*) from deposits.sweep where state = 'open') as "openSweeps",
         (select count(*) from deposits.sweep where state = 'refused' and ended_at > $1) as "refusedSweeps",
         (select count(*) from deposits.payout where state in ('requested', 'expired')) as "payoutsRequested",
         (select count(*) from deposits.payout where state in ('approved', 'cancelling')) as "payoutsUnderWay"
`,
)
