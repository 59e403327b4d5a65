import { statement } from '../db/index.ts'

const TIMELINE = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint`

/**
 * On another timeline than the last time $1 positions are left out: a restore begins one, and so does a
 * promotion, after which it is not needed.
 */
export const takePosition = statement<{ position: bigint }>(
  'addresses.takePosition',
  `
  update addresses.counter
     set next_position = next_position + 1 + case when timeline <> ${TIMELINE} then $1::bigint else 0 end,
         timeline = ${TIMELINE}
  returning next_position - 1 as position
`,
)

/** Leaves out positions whose addresses other clients may have been shown. */
export const skipPositions = statement(
  'addresses.skipPositions',
  `
  update addresses.counter set next_position = next_position + $1
`,
)

export const insertAddress = statement(
  'addresses.insertAddress',
  `
  insert into addresses.address (position, address, purpose, account_id, created_at)
  values ($1, $2, $3, $4, $5)
`,
)

export const findDepositAddress = statement<{ address: string }>(
  'addresses.findDepositAddress',
  `
  select address from addresses.address where account_id = $1 and purpose = 'deposit'
`,
)

export type OwnerRow = { address: string; account: string; purpose: string; position: bigint }

export const findOwners = statement<OwnerRow>(
  'addresses.findOwners',
  `
  select address, account_id as account, purpose, position from addresses.address where address = any ($1)
`,
)

export const listAddresses = statement<{ position: bigint; address: string }>(
  'addresses.listAddresses',
  `
  select position, address from addresses.address where position > $1 order by position limit $2
`,
)
