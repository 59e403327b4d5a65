import { statement } from '../db/index.ts'
import { APPROVED_PURPOSES } from './stakePolicy.ts'

export type ToBookRow = {
  txid: string
  address: string
  to: string | null
  amount: bigint
  contract: string
  block: bigint
  minedAt: Date
}

/** A page of findings in solid blocks that nothing was made of, in the order of the chain. */
export const outflowsToBook = statement<ToBookRow>(
  'signing.outflowsToBook',
  `
  select txid, address, to_address as "to", amount_sun as amount, contract, block_number as block,
         coalesce(block_time, found_at) as "minedAt"
    from signing.outflow
   where looked_at is null and booked_as is null and block_number <= $1 and (block_number, txid) > ($2, $3)
   order by block_number, txid
   limit $4
`,
)

/** Returns those that were not booked before. */
export const bookOutflows = statement<{ txid: string }>(
  'signing.bookOutflows',
  `
  select * from signing.book_outflows($1, $2, $3, $4) as b(txid)
`,
)

/** Allowed for the signer's role only. `mark` changes whenever a scanner has asked a node for its head. */
export const isNearHead = statement<{ near: boolean; solidTime: Date; mark: string }>(
  'signing.isNearHead',
  `
  select near, solid_time as "solidTime", mark from chain.near_head()
`,
)

/** Those of the transactions that were requested here, signed or refused, or that recovery has found. */
export const findRequested = statement<{ txid: string }>(
  'signing.findRequested',
  `
  select txid from signing.request where txid = any ($1)
  union
  select txid from signing.outflow where txid = any ($1)
`,
)

export type KnownPayoutRow = { payout: string; attempt: bigint; txid: string; expiresAt: Date }

/** Attempts that the signer has signed by the database, and those that recovery found on the chain. */
export const knownPayouts = statement<KnownPayoutRow>(
  'signing.knownPayouts',
  `
  select r.payout_id as payout, r.attempt, r.txid, r.expires_at as "expiresAt"
    from signing.request r join signing.answer a on a.request_id = r.id
   where r.purpose in ${APPROVED_PURPOSES} and r.payout_id is not null and a.state = 'signed'
  union
  select o.payout_id, o.attempt, o.txid, coalesce(o.block_time, o.found_at)
    from signing.outflow o where o.payout_id is not null
   order by 1, 2
`,
)

export const knownCancellations = statement<{ payout: string }>(
  'signing.knownCancellations',
  `
  select payout_id as payout from signing.cancellation where recorded_at is not null order by payout_id
`,
)
