import { statement } from '../../db/index.ts'

/** Stores fees from receipts of solid blocks, which never change. */
export const noteFees = statement(
  'delivery.noteFees',
  `
  insert into delivery.network_fee as f (txid, block_number)
  select txid, $2 from unnest($1::text[]) as txid
   order by txid
  on conflict (txid) do update set block_number = excluded.block_number where f.fee_sun is null
`,
)

export const orphanFees = statement(
  'delivery.orphanFees',
  `
  update delivery.network_fee set block_number = null where block_number = $1 and fee_sun is null
`,
)

/** Solid blocks whose receipts have not been read, oldest first. */
export const blocksToRead = statement<{ block: bigint }>(
  'delivery.blocksToRead',
  `
  select distinct block_number as block from delivery.network_fee
   where fee_sun is null and block_number <= $1 and block_number <> all ($3::bigint[])
   order by block_number
   limit $2
`,
)

export const lockFees = statement<{ txid: string }>(
  'delivery.lockFees',
  `
  select txid from delivery.network_fee where block_number = $1 and fee_sun is null order by txid for update
`,
)

export const writeFees = statement(
  'delivery.writeFees',
  `
  update delivery.network_fee f set fee_sun = g.fee
    from unnest($1::text[], $2::bigint[]) as g(txid, fee)
   where f.txid = g.txid
`,
)
