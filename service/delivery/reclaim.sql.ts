import { statement } from '../db/index.ts'

export type ReclaimRow = {
  txid: string
  owner: string
  receiver: string
  stake: bigint
}

export const lockReclaims = statement<ReclaimRow>(
  'delivery.lockReclaims',
  `
  select txid, owner_address as owner, receiver_address as receiver,
         (stake_sun - (select coalesce(sum(t.stake_sun), 0) from delivery.taken_back t
                        where t.delegation_txid = delegation.txid))::bigint as stake
    from delivery.delegation
   where reclaimed_at is null and reclaim_txid is null and reclaim_at <= $1 and block_number is not null
     and provider = 'own_stake' and txid <> all ($3::text[])
   order by txid
   limit $2
     for update skip locked
`,
)

export const setReclaim = statement(
  'delivery.setReclaim',
  `
  update delivery.delegation set reclaim_txid = $2, reclaim_expires_at = $3 where txid = $1
`,
)

export type ReclaimUnderWay = { txid: string; reclaimTxid: string }

export const reclaimsUnderWay = statement<ReclaimUnderWay>(
  'delivery.reclaimsUnderWay',
  `
  select txid, reclaim_txid as "reclaimTxid"
    from delivery.delegation
   where reclaimed_at is null and reclaim_txid is not null and reclaim_expires_at < $1 and txid <> all ($3::text[])
   order by txid
   limit $2
`,
)

export const dropReclaim = statement(
  'delivery.dropReclaim',
  `
  update delivery.delegation set reclaim_txid = null, reclaim_expires_at = null
   where txid = $1 and reclaim_txid = $2 and reclaimed_at is null
`,
)
