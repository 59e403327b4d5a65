import { statement } from '../../db/index.ts'

export type PayoutRow = {
  id: string
  account: string
  to: string
  amount: bigint
  reason: string
  requestedBy: string
  approvedBy: string | null
  cancelledBy: string | null
  state: 'requested' | 'approved' | 'expired' | 'cancelling' | 'cancelled' | 'paid'
  attempt: bigint
  txid: string | null
  signingRequest: string | null
  trouble: string | null
}

const PAYOUT = `id, account_id as account, to_address as "to", amount_sun as amount, reason,
  requested_by as "requestedBy", approved_by as "approvedBy", cancelled_by as "cancelledBy", state,
  attempt, txid, signing_request as "signingRequest", trouble`

export const insertPayout = statement(
  'deposits.insertPayout',
  `
  insert into deposits.payout
    (id, account_id, to_address, amount_sun, reason, requested_by, state, requested_at)
  values ($1, $2, $3, $4, $5, $6, 'requested', $7)
`,
)

export const lockPayout = statement<PayoutRow>(
  'deposits.lockPayout',
  `
  select ${PAYOUT} from deposits.payout where id = $1 for update
`,
)

export const findPayout = statement<PayoutRow>(
  'deposits.findPayout',
  `
  select ${PAYOUT} from deposits.payout where id = $1
`,
)

export const listPayouts = statement<PayoutRow>(
  'deposits.listPayouts',
  `
  select ${PAYOUT} from deposits.payout order by id desc limit $1
`,
)

export const approvePayout = statement(
  'deposits.approvePayout',
  `
  update deposits.payout
     set state = 'approved', approved_by = $2, approved_at = $3, try_after = null
   where id = $1
`,
)

/** A further approval may satisfy the signer: ask again at once. */
export const tryPayoutAgain = statement(
  'deposits.tryPayoutAgain',
  `
  update deposits.payout set try_after = null where id = $1
`,
)

/** Nothing has left the balance yet. */
export const cancelRequested = statement(
  'deposits.cancelRequested',
  `
  update deposits.payout set state = 'cancelled', cancelled_by = $2, cancelled_at = $3 where id = $1
`,
)

export const beginCancelling = statement(
  'deposits.beginCancelling',
  `
  update deposits.payout set state = 'cancelling', cancelled_by = $2, cancelled_at = $3 where id = $1
`,
)

export type CancellingPayout = { id: string; account: string; to: string; amount: bigint }

/** Payouts being cancelled that have no bytes that could still be mined. */
export const cancellingPayouts = statement<CancellingPayout>(
  'deposits.cancellingPayouts',
  `
  select id, account_id as account, to_address as "to", amount_sun as amount
    from deposits.payout where state = 'cancelling' and txid is null and id <> all ($2::uuid[])
   order by id limit $1
`,
)

export const endCancelling = statement<{ id: string }>(
  'deposits.endCancelling',
  `
  update deposits.payout set state = 'cancelled', trouble = null
   where id = $1 and state = 'cancelling' and txid is null
  returning id
`,
)

export type DuePayout = { id: string; attempt: bigint; to: string; amount: bigint }

export const lockDuePayouts = statement<DuePayout>(
  'deposits.lockDuePayouts',
  `
  select id, attempt, to_address as "to", amount_sun as amount
    from deposits.payout
   where state = 'approved' and txid is null and (try_after is null or try_after <= $1)
     and (not_before is null or not_before <= $1) and id <> all ($3::uuid[])
   order by id
   limit $2
     for update skip locked
`,
)

/** After a refusal the next request is at $4, or with the next approval. */
export const setPayoutBytes = statement(
  'deposits.setPayoutBytes',
  `
  update deposits.payout set txid = $2, signing_request = $3, try_after = $4 where id = $1
`,
)

export type OpenPayout = { id: string; txid: string; signingRequest: string }

export const openPayouts = statement<OpenPayout>(
  'deposits.openPayouts',
  `
  select id, txid, signing_request as "signingRequest"
    from deposits.payout
   where state in ('approved', 'cancelling') and txid is not null and id <> all ($2::uuid[])
   order by id limit $1
`,
)

/** Drops unsigned bytes, only those that were checked: another worker may have made new ones. */
export const dropPayoutBytes = statement<{ id: string }>(
  'deposits.dropPayoutBytes',
  `
  update deposits.payout set txid = null, signing_request = null, trouble = $3
   where id = $1 and txid = $2 and state in ('approved', 'cancelling')
  returning id
`,
)

/** Signed bytes expired: the next attempt needs new approvals. */
export const expirePayout = statement<{ id: string }>(
  'deposits.expirePayout',
  `
  update deposits.payout
     set state = case when state = 'approved' then 'expired' else state end, attempt = attempt + 1,
         txid = null, signing_request = null, trouble = $3, not_before = $4, try_after = null
   where id = $1 and txid = $2 and state in ('approved', 'cancelling')
  returning id
`,
)

export const payPayout = statement<{ id: string }>(
  'deposits.payPayout',
  `
  update deposits.payout set state = 'paid', fee_sun = $3, trouble = null
   where id = $1 and txid = $2 and state in ('approved', 'cancelling')
  returning id
`,
)
