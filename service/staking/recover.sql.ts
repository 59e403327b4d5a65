import { statement } from '../db/index.ts'

/**
 * The operation that a transaction was for: by its id, or the open one with the same content that was
 * asked for before it.
 */
export const operationOf = statement<{ id: string; attempt: bigint }>(
  'staking.operationOf',
  `
  select id, attempt from staking.operation
   where txid = $1
      or (stake = $2 and action = $3 and amount_sun is not distinct from $4 and resource is not distinct from $5
          and votes = $6 and requested_at <= $7 and state in ('requested', 'approved', 'expired', 'cancelling'))
   order by txid = $1 desc nulls last, id
   limit 1
     for update
`,
)

/** One that was asked for after the moment that the database was restored to. It has ended. */
export const insertRecovered = statement(
  'staking.insertRecovered',
  `
  insert into staking.operation
    (id, stake, action, amount_sun, resource, votes, reason, requested_by, requested_at, state, txid, block_number, moved_sun,
     fee_sun, trouble, ended_at)
  values ($1, $2, $3, $4, $5, $6, 'Found on the chain by recovery', 'recovery', $7, $8, $9, $10, $11, $12, $13, $14)
`,
)
