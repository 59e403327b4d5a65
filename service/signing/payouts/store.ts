import { statement } from '../../db/index.ts'
import { APPROVED_PURPOSES } from '../stakePolicy.ts'

export type ApprovalRow = {
  payout: string
  attempt: bigint
  key: string
  endsAt: Date
  signature: string
}

/** A later approval by the same key replaces the earlier one, which may have expired. */
export const putApproval = statement(
  'signing.putApproval',
  `
  insert into signing.approval (payout_id, attempt, key, approved_by, ends_at, signature, approved_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (payout_id, attempt, key) do update
    set approved_by = excluded.approved_by, ends_at = excluded.ends_at,
        signature = excluded.signature, approved_at = excluded.approved_at
`,
)

/** Only approvals by keys that the signer knows, so that a flooded table does not slow it down. */
export const approvalsOf = statement<ApprovalRow>(
  'signing.approvalsOf',
  `
  select payout_id as payout, attempt, key, ends_at as "endsAt", signature
    from signing.approval where payout_id = any ($1) and key = any ($2)
`,
)

export type ApproverRow = { payout: string; by: string; key: string; endsAt: Date }

/** Approvers of each attempt, for display; the signer does not use it. */
export const approversOf = statement<ApproverRow>(
  'signing.approversOf',
  `
  select a.payout_id as payout, a.approved_by as by, a.key, a.ends_at as "endsAt"
    from unnest($1::uuid[], $2::bigint[]) as g(payout_id, attempt)
    join signing.approval a on a.payout_id = g.payout_id and a.attempt = g.attempt
   order by a.approved_at, a.key
`,
)

export type SignedRow = { payout: string; attempt: bigint; txid: string }

/** Signed attempts of these payouts. Requests and answers cannot be deleted. */
export const signedOf = statement<SignedRow>(
  'signing.signedOf',
  `
  select r.payout_id as payout, r.attempt, r.txid
    from signing.request r join signing.answer a on a.request_id = r.id
   where r.payout_id = any ($1) and a.state = 'signed'
   order by r.attempt
`,
)

export const insertCancellation = statement(
  'signing.insertCancellation',
  `
  insert into signing.cancellation (payout_id, asked_at) values ($1, $2)
  on conflict (payout_id) do nothing
`,
)

/** Payouts whose cancellation is in the signer's file. */
export const recordedCancellations = statement<{ payout: string }>(
  'signing.recordedCancellations',
  `
  select payout_id as payout from signing.cancellation
   where payout_id = any ($1) and recorded_at is not null
`,
)

/** None in recovery: a payout that is to be cancelled may be on the chain. */
export const newCancellations = statement<{ payout: string }>(
  'signing.newCancellations',
  `
  select payout_id as payout from signing.cancellation
   where recorded_at is null and not exists (select from signing.outflow where looked_at is null)
   order by asked_at, payout_id limit $1
`,
)

/** Those of the transactions that were answered: signed or refused. */
export const findAnswered = statement<{ txid: string }>(
  'signing.findAnswered',
  `
  select r.txid from signing.request r join signing.answer a on a.request_id = r.id
   where r.txid = any ($1)
`,
)

export const setRecorded = statement(
  'signing.setRecorded',
  `
  update signing.cancellation set recorded_at = $2
   where payout_id = any ($1) and recorded_at is null
`,
)

/**
 * Rows that only the signer can have written and that its file lacks: $1 are the txids in the file, $2
 * the cancelled payouts. Requests for other purposes are in no file, whatever id the service gave them.
 */
export const missingInFile = statement<{ what: string }>(
  'signing.missingInFile',
  `
  (select 'payout ' || r.payout_id as what
     from signing.request r join signing.answer a on a.request_id = r.id
    where r.purpose in ${APPROVED_PURPOSES} and r.payout_id is not null and a.state = 'signed'
      and r.txid <> all ($1::text[])
    limit 1)
  union all
  (select 'cancellation of payout ' || c.payout_id
     from signing.cancellation c
    where c.recorded_at is not null and c.payout_id <> all ($2::uuid[])
    limit 1)
`,
)

/** The most that the signer signs for payouts within an hour and within a day. */
export const publishPayoutLimit = statement(
  'signing.publishPayoutLimit',
  `
  insert into signing.payout_limit (hour_sun, day_sun) values ($1, $2)
  on conflict (only_row) do update set hour_sun = excluded.hour_sun, day_sun = excluded.day_sun
`,
)

export const readPayoutLimit = statement<{ limit: bigint }>(
  'signing.readPayoutLimit',
  `
  select least(hour_sun, day_sun) as limit from signing.payout_limit
`,
)
