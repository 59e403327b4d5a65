import { statement } from '../db/index.ts'

export type DepositRow = {
  id: string
  account: string
  txid: string
  position: bigint
  amount: bigint
  status: 'pending' | 'confirmed' | 'reverted'
  blockNumber: bigint | null
  posted: boolean
  creditedAt: Date | null
  verifiedAt: Date | null
  createdAt: Date
}

const COLUMNS = `
  id, account_id as account, txid, position, amount_sun as amount, status, block_number as "blockNumber",
  posted, credited_at as "creditedAt", verified_at as "verifiedAt", created_at as "createdAt"`

export const insertDeposits = statement<DepositRow>(
  'deposits.insertDeposits',
  `
  insert into deposits.deposit
    (id, account_id, txid, position, address, amount_sun, status, block_number, expires_at, created_at)
  select g.id, g.account, g.txid, g.position, g.address, g.amount, 'pending', $8, g.expires, $9
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::timestamptz[])
         as g(id, account, txid, position, address, amount, expires)
  on conflict (txid, position) do nothing
  returning ${COLUMNS}
`,
)

/** Deposits whose block was orphaned and whose transfer stands in a new one. */
export const returnDeposits = statement<DepositRow>(
  'deposits.returnDeposits',
  `
  update deposits.deposit d set block_number = $3
    from unnest($1::text[], $2::bigint[]) as g(txid, position)
   where d.txid = g.txid and d.position = g.position and d.block_number is null and d.status = 'pending'
  returning d.id, d.account_id as account, d.txid, d.position, d.amount_sun as amount, d.status,
            d.block_number as "blockNumber", d.posted, d.credited_at as "creditedAt",
            d.verified_at as "verifiedAt", d.created_at as "createdAt"
`,
)

export const unverifiedCredit = statement<{ account: string; amount: bigint }>(
  'deposits.unverifiedCredit',
  `select account_id as account, sum(amount_sun)::bigint as amount
     from deposits.deposit
    where account_id = any ($1) and verified_at is null and credited_at is not null
    group by account_id`,
)

export const confirmDeposits = statement(
  'deposits.confirmDeposits',
  `
  update deposits.deposit set status = 'confirmed', posted = true, credited_at = $2 where id = any ($1)
`,
)

export const orphanDeposits = statement<DepositRow>(
  'deposits.orphanDeposits',
  `
  update deposits.deposit set status = 'pending', credited_at = null, block_number = null
   where block_number = $1 and verified_at is null
  returning ${COLUMNS}
`,
)

/** Not final, and in a block that no longer changes. */
export const lockSolid = statement<DepositRow>(
  'deposits.lockSolid',
  `
  select ${COLUMNS}
    from deposits.deposit
   where verified_at is null and status <> 'reverted' and block_number <= $1
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

/** Orphaned, and past the time at which their transfer could still be mined. */
export const lockDead = statement<DepositRow>(
  'deposits.lockDead',
  `
  select ${COLUMNS}
    from deposits.deposit
   where verified_at is null and status = 'pending' and block_number is null and expires_at < $1
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

export const listDeposits = statement<DepositRow>(
  'deposits.listDeposits',
  `
  select ${COLUMNS}
    from deposits.deposit
   where account_id = $1
   order by created_at desc, id desc
   limit $2 offset $3
`,
)

export const recordTokens = statement(
  'deposits.recordTokens',
  `
  insert into deposits.token (txid, position, token_address, address, amount, block_number, created_at)
  select g.*, $6, $7 from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::numeric[]) as g
  on conflict (txid, position) do nothing
`,
)

export const orphanTokens = statement(
  'deposits.orphanTokens',
  `
  delete from deposits.token where block_number = $1
`,
)
