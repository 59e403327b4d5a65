import { statement } from '../db/index.ts'

export const takePosition = statement<{ position: bigint }>(
  'addresses.takePosition',
  `
  update addresses.counter set next_position = next_position + 1
  returning next_position - 1 as position
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
