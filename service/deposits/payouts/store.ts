import { statement } from '../../db/index.ts'

export type PayoutRow = {
  id: string
  account: string
  to: string
  amount: bigint
  reason: string
  requestedBy: string
  approvedBy: string | null
  state: 'requested' | 'approved' | 'paid'
  txid: string | null
  trouble: string | null
}

const PAYOUT = `id, account_id as account, to_address as "to", amount_sun as amount, reason,
  requested_by as "requestedBy", approved_by as "approvedBy", state, txid, trouble`

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
  update deposits.payout set state = 'approved', approved_by = $2, approved_at = $3 where id = $1
`,
)

export type DuePayout = { id: string; to: string; amount: bigint }

export const lockDuePayouts = statement<DuePayout>(
  'deposits.lockDuePayouts',
  `
  select id, to_address as "to", amount_sun as amount
    from deposits.payout
   where state = 'approved' and txid is null and (try_after is null or try_after <= $1)
   order by id
   limit $2
     for update skip locked
`,
)

export const setPayoutBytes = statement(
  'deposits.setPayoutBytes',
  `
  update deposits.payout set txid = $2, signing_request = $3 where id = $1
`,
)

export type OpenPayout = { id: string; txid: string; signingRequest: string }

export const openPayouts = statement<OpenPayout>(
  'deposits.openPayouts',
  `
  select id, txid, signing_request as "signingRequest"
    from deposits.payout where state = 'approved' and txid is not null order by id limit $1
`,
)

/** Only the bytes that were judged: another worker may have made new ones since. */
export const dropPayoutBytes = statement<{ id: string }>(
  'deposits.dropPayoutBytes',
  `
  update deposits.payout set txid = null, signing_request = null, trouble = $3, try_after = $4
   where id = $1 and txid = $2 and state = 'approved'
  returning id
`,
)

export const payPayout = statement<{ id: string }>(
  'deposits.payPayout',
  `
  update deposits.payout set state = 'paid', fee_sun = $3, trouble = null
   where id = $1 and txid = $2 and state = 'approved'
  returning id
`,
)
