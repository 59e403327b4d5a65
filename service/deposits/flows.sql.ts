import { idAt, statement } from '../db/index.ts'

export type FlowRow = {
  /** Left the balances of clients and not the hot wallet yet. */
  underWay: bigint
  /** Asked for, and still on the balances. */
  requested: bigint
  /** Approved since the time. */
  payouts: bigint
  /** Swept to the hot wallet since the time. */
  sweeps: bigint
  fees: bigint
  /** The first of them. */
  first: Date | null
}

/** What moves the hot wallet on behalf of clients. Ids of sweeps are made within an hour of their time. */
export const readFlows = statement<FlowRow>(
  'deposits.readFlows',
  `
  with payouts as (
    select p.amount_sun, p.state, p.fee_sun, p.approved_at from deposits.payout p
     where p.state in ('requested', 'approved', 'expired', 'cancelling') or p.approved_at >= $1
  ), sweeps as (
    select s.amount_sun, s.ended_at from deposits.sweep s
     where s.id >= ${idAt("$1::timestamptz - interval '1 hour'")} and s.state = 'booked' and s.ended_at >= $1
  )
  select p."underWay", p.requested, p.payouts, s.sweeps, p.fees, least(p.first, s.first) as first
    from (select coalesce(sum(amount_sun) filter (where state in ('approved', 'expired', 'cancelling')), 0)::bigint as "underWay",
                 coalesce(sum(amount_sun) filter (where state = 'requested'), 0)::bigint as requested,
                 coalesce(sum(amount_sun) filter (where state <> 'cancelled' and approved_at >= $1), 0)::bigint as payouts,
                 coalesce(sum(fee_sun) filter (where approved_at >= $1), 0)::bigint as fees,
                 min(approved_at) filter (where approved_at >= $1) as first from payouts) p,
         (select coalesce(sum(amount_sun), 0)::bigint as sweeps, min(ended_at) as first from sweeps) s
`,
)

/** What deposit addresses have less on the chain than in our books. */
export const missingOnAddresses = statement<{ amount: bigint }>(
  'deposits.missingOnAddresses',
  `
  select coalesce(-sum(difference_sun), 0)::bigint as amount from deposits.holding where difference_sun < 0
`,
)
