import { statement } from '../db/index.ts'
import type { Action, StakedResource } from './plan.ts'

export type OperationState =
  | 'requested'
  | 'approved'
  | 'expired'
  | 'cancelling'
  | 'cancelled'
  | 'refused'
  | 'failed'
  | 'done'

export type OperationRow = {
  id: string
  stake: string
  action: Action
  amount: bigint | null
  resource: StakedResource | null
  votes: string[]
  reason: string
  requestedBy: string
  requestedAt: Date
  coversUntil: Date | null
  cancelledBy: string | null
  state: OperationState
  attempt: bigint
  txid: string | null
  signingRequest: string | null
  block: bigint | null
  trouble: string | null
  moved: bigint | null
  fee: bigint | null
}

const OPERATION = `id, stake, action, amount_sun as amount, resource, votes, reason, requested_by as "requestedBy",
  requested_at as "requestedAt", covers_until as "coversUntil", cancelled_by as "cancelledBy", state, attempt, txid,
  signing_request as "signingRequest", block_number as block, trouble, moved_sun as moved, fee_sun as fee`

/** Nothing when the same is open already. A vote and a claim need nobody: they are approved at once. */
export const insertOperation = statement<{ id: string }>(
  'staking.insertOperation',
  `
  insert into staking.operation
    (id, stake, action, amount_sun, resource, votes, reason, requested_by, requested_at, covers_until, state, approved_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz, $10, $11::text, case when $11::text = 'approved' then $9::timestamptz end)
  on conflict do nothing
  returning id
`,
)

export const findOperation = statement<OperationRow>(
  'staking.findOperation',
  `
  select ${OPERATION} from staking.operation where id = $1
`,
)

export const lockOperation = statement<OperationRow>(
  'staking.lockOperation',
  `
  select ${OPERATION} from staking.operation where id = $1 for update
`,
)

export const listOperations = statement<OperationRow>(
  'staking.listOperations',
  `
  select ${OPERATION} from staking.operation order by requested_at desc, id desc limit $1
`,
)

/** The newest of each action of a stake. */
export const lastOperations = statement<OperationRow>(
  'staking.lastOperations',
  `
  select distinct on (action) ${OPERATION} from staking.operation where stake = $1 order by action, id desc
`,
)

export const openOperation = statement<{ id: string }>(
  'staking.openOperation',
  `
  select id from staking.operation
   where stake = $1 and action = $2 and state in ('requested', 'approved', 'expired', 'cancelling')
`,
)

export const approveOperation = statement(
  'staking.approveOperation',
  `
  update staking.operation set state = 'approved', approved_at = $2, try_after = null where id = $1
`,
)

/** A further approval may satisfy the signer: ask again at once. */
export const tryOperationAgain = statement(
  'staking.tryOperationAgain',
  `
  update staking.operation set try_after = null where id = $1
`,
)

/** Nothing of it was ever signed. */
export const dropOperation = statement(
  'staking.dropOperation',
  `
  update staking.operation set state = 'cancelled', cancelled_by = $2, cancelled_at = $3, ended_at = $3 where id = $1
`,
)

export const beginCancelling = statement(
  'staking.beginCancelling',
  `
  update staking.operation set state = 'cancelling', cancelled_by = $2, cancelled_at = $3 where id = $1
`,
)

export const readStanding = statement<{ stake: string; shares: string[]; setBy: string }>(
  'staking.readStanding',
  `
  select stake, shares, set_by as "setBy" from staking.standing_vote order by stake
`,
)

export const putStanding = statement(
  'staking.putStanding',
  `
  insert into staking.standing_vote (stake, shares, set_by, set_at) values ($1, $2, $3, $4)
  on conflict (stake) do update set shares = excluded.shares, set_by = excluded.set_by, set_at = excluded.set_at
`,
)

export const endStanding = statement(
  'staking.endStanding',
  `
  delete from staking.standing_vote where stake = $1
`,
)

/** What waits for operators, and what has been under way for longer than a transaction and its next attempt take. */
export const readPulse = statement<{
  waiting: bigint
  waitingSince: Date | null
  stuck: bigint
  stuckSince: Date | null
}>(
  'staking.readPulse',
  `
  select count(*) filter (where state in ('requested', 'expired')) as waiting,
         min(requested_at) filter (where state in ('requested', 'expired')) as "waitingSince",
         count(*) filter (where state in ('approved', 'cancelling') and coalesce(cancelled_at, approved_at) < $1) as stuck,
         min(coalesce(cancelled_at, approved_at))
           filter (where state in ('approved', 'cancelling') and coalesce(cancelled_at, approved_at) < $1) as "stuckSince"
    from staking.operation where state in ('requested', 'approved', 'expired', 'cancelling')
`,
)

export const knownOperations = statement<{ txid: string }>(
  'staking.knownOperations',
  `
  select txid from staking.operation where txid = any ($1)
`,
)
