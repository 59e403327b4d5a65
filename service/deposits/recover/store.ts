import { statement } from '../../db/index.ts'

export type RecoveredSweep = { txid: string; address: string; amount: bigint; fee: bigint }

/** Sweeps that these books do not know, or that were open; returns the ones that were not booked. */
export const bookSweeps = statement<RecoveredSweep>(
  'deposits.bookSweeps',
  `
  insert into deposits.sweep as s
    (id, address, amount_sun, txid, signing_request, state, fee_sun, created_at, ended_at)
  select g.id, g.address, g.amount, g.txid, g.id, 'booked', g.fee, g.at, $7
    from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::timestamptz[])
         as g(id, address, amount, txid, fee, at)
   order by g.address, g.txid
  on conflict (txid) do update set state = 'booked', fee_sun = excluded.fee_sun, ended_at = excluded.ended_at, reason = null
     where s.state <> 'booked'
  returning s.txid, s.address, s.amount_sun as amount, s.fee_sun as fee
`,
)

export type CandidateRow = {
  id: string
  account: string
  to: string
  amount: bigint
  state: string
  attempt: bigint
  txid: string | null
}

/** Payouts that a transfer may have paid: by transaction, or by destination and amount if asked for before it. */
export const payoutCandidates = statement<CandidateRow>(
  'deposits.payoutCandidates',
  `
  select id, account_id as account, to_address as "to", amount_sun as amount, state, attempt, txid
    from deposits.payout
   where txid = $1
      or (state in ('requested', 'approved', 'expired', 'cancelling')
          and to_address = $2 and amount_sun = $3 and requested_at <= $4)
   order by id
`,
)

export const lockCandidate = statement<CandidateRow>(
  'deposits.lockCandidate',
  `
  select id, account_id as account, to_address as "to", amount_sun as amount, state, attempt, txid
    from deposits.payout where id = $1 for update
`,
)

/** Paid by a transaction that was found on the chain. $5: the approval is in books that were lost. */
export const payRecovered = statement(
  'deposits.payRecovered',
  `
  update deposits.payout
     set state = 'paid', txid = $2, fee_sun = $3, trouble = null, approved_by = coalesce(approved_by, $5),
         approved_at = coalesce(approved_at, $4)
   where id = $1 and state not in ('paid', 'cancelled')
`,
)

/** A payout that was asked for after the moment that the database was restored to. */
export const insertRecoveredPayout = statement(
  'deposits.insertRecoveredPayout',
  `
  insert into deposits.payout
    (id, account_id, to_address, amount_sun, reason, requested_by, requested_at, approved_by, approved_at, state, txid, fee_sun)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $7, 'paid', $9, $10)
`,
)
