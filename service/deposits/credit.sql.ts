import { statement } from '../db/index.ts'
import { COLUMNS, type DepositRow } from './store.ts'

export const insertDeposits = statement<DepositRow>(
  'deposits.insertDeposits',
  `
  insert into deposits.deposit
    (id, account_id, txid, position, address, amount_sun, status, block_number, expires_at, created_at, kind)
  select g.id, g.account, g.txid, g.position, g.address, g.amount, 'pending', $8, g.expires, $9, g.kind
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::timestamptz[],
                $10::text[])
         as g(id, account, txid, position, address, amount, expires, kind)
  on conflict (txid, position) do nothing
  returning ${COLUMNS}
`,
)

/** Deposits whose block was orphaned and whose transfer is in a new block. */
export const returnDeposits = statement<DepositRow>(
  'deposits.returnDeposits',
  `
  update deposits.deposit d set block_number = $3
    from unnest($1::text[], $2::bigint[]) as g(txid, position)
   where d.txid = g.txid and d.position = g.position and d.block_number is null and d.status = 'pending'
  returning d.id, d.kind, d.account_id as account, d.txid, d.position, d.address, d.amount_sun as amount, d.status,
            d.block_number as "blockNumber", d.posted, d.credited_at as "creditedAt",
            d.verified_at as "verifiedAt", d.created_at as "createdAt"
`,
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
