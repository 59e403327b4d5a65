import { statement } from '../db/index.ts'
import { COLUMNS, type DepositRow } from './store.ts'

/** Deposits in solid blocks that are not final yet. */
export const lockSolid = statement<DepositRow>(
  'deposits.lockSolid',
  `
  select ${COLUMNS}
    from deposits.deposit
   where verified_at is null and status <> 'reverted' and block_number <= $1 and id <> all ($3::uuid[])
   order by id
   limit $2
     for update
`,
)

export const verifyDeposits = statement(
  'deposits.verifyDeposits',
  `
  update deposits.deposit
     set status = 'confirmed', posted = true, credited_at = coalesce(credited_at, $2), verified_at = $2
   where id = any ($1)
`,
)

/** Orphaned deposits whose transfer can no longer be mined. */
export const lockDead = statement<DepositRow>(
  'deposits.lockDead',
  `
  select ${COLUMNS}
    from deposits.deposit
   where verified_at is null and status = 'pending' and block_number is null and expires_at < $1
     and id <> all ($3::uuid[])
   order by id
   limit $2
     for update
`,
)

export const revertDeposits = statement(
  'deposits.revertDeposits',
  `
  update deposits.deposit set status = 'reverted', posted = false where id = any ($1)
`,
)

/** Adds verified TRX to the holdings of these addresses. */
export const addToHoldings = statement(
  'deposits.addToHoldings',
  `
  insert into deposits.holding as h (address, amount_sun)
  select g.address, sum(g.amount)::bigint
    from unnest($1::text[], $2::bigint[]) as g(address, amount) group by g.address order by g.address
  on conflict (address) do update set amount_sun = h.amount_sun + excluded.amount_sun
`,
)
