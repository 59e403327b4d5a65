import { statement } from '../db/index.ts'
import type { Action, StakedResource } from './plan.ts'

export type DueOperation = {
  id: string
  stake: string
  action: Action
  amount: bigint | null
  resource: StakedResource | null
  votes: string[]
  attempt: bigint
}

const DUE = `state = 'approved' and txid is null and (try_after is null or try_after <= $1)
     and (not_before is null or not_before <= $1)`

export const dueOperations = statement<DueOperation>(
  'staking.dueOperations',
  `
  select id, stake, action, amount_sun as amount, resource, votes, attempt
    from staking.operation where ${DUE} and id <> all ($3::uuid[]) order by id limit $2
`,
)

/** Another worker may have asked for it since it was found. */
export const lockDue = statement<{ attempt: bigint }>(
  'staking.lockDue',
  `
  select attempt from staking.operation where ${DUE} and id = $2 for update skip locked
`,
)

/** After a refusal the next request is at $4, or with the next approval. */
export const setBytes = statement(
  'staking.setBytes',
  `
  update staking.operation set txid = $2, signing_request = $3, try_after = $4, trouble = null where id = $1
`,
)

/** The chain would not take it now. */
export const postpone = statement(
  'staking.postpone',
  `
  update staking.operation set trouble = $2, try_after = $3 where id = $1
`,
)

/** Ends without a transaction. */
export const endRefused = statement(
  'staking.endRefused',
  `
  update staking.operation
     set state = $2, trouble = $3, ended_at = $4, txid = null, signing_request = null
   where id = $1
`,
)

export type OpenOperation = { id: string; txid: string; signingRequest: string }

export const openOperations = statement<OpenOperation>(
  'staking.openOperations',
  `
  select id, txid, signing_request as "signingRequest" from staking.operation
   where state in ('approved', 'cancelling') and txid is not null and id <> all ($2::uuid[]) order by id limit $1
`,
)

export type LockedOperation = { action: Action; state: 'approved' | 'cancelling'; attempt: bigint }

/** Only with the bytes that were looked at: another worker may have concluded them and made new ones. */
export const lockOpen = statement<LockedOperation>(
  'staking.lockOpen',
  `
  select action, state, attempt from staking.operation
   where id = $1 and txid = $2 and state in ('approved', 'cancelling') for update
`,
)

/** Unsigned bytes. */
export const dropBytes = statement(
  'staking.dropBytes',
  `
  update staking.operation set txid = null, signing_request = null, trouble = $2 where id = $1
`,
)

/** Signed bytes that no block took. $3: the next attempt needs approvals of its own. */
export const expireBytes = statement(
  'staking.expireBytes',
  `
  update staking.operation
     set state = case when state = 'approved' and $3 then 'expired' else state end, attempt = attempt + 1,
         txid = null, signing_request = null, trouble = $2, not_before = $4, try_after = null
   where id = $1
`,
)

export const endMined = statement<{ id: string }>(
  'staking.endMined',
  `
  update staking.operation
     set state = $2, txid = $3, block_number = $4, moved_sun = $5, fee_sun = $6, trouble = $7, ended_at = $8
   where id = $1 and state not in ('cancelled', 'refused', 'failed', 'done')
  returning id
`,
)

export const cancellingOperations = statement<{ id: string }>(
  'staking.cancellingOperations',
  `
  select id from staking.operation where state = 'cancelling' and txid is null and id <> all ($2::uuid[]) order by id limit $1
`,
)

export const endCancelling = statement(
  'staking.endCancelling',
  `
  update staking.operation set state = 'cancelled', trouble = null, ended_at = $2
   where id = $1 and state = 'cancelling' and txid is null
`,
)
