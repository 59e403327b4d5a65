import { statement } from '../../db/index.ts'

/** The last block at or before $1 before which every receipt has been read. */
export const lastCounted = statement<{ block: bigint }>(
  'delivery.lastCounted',
  `
  select greatest($1::bigint - $2::bigint, least($1::bigint, coalesce(
           (select min(f.block_number) - 1 from delivery.network_fee f where f.fee_sun is null and f.block_number <= $1),
           $1::bigint)))::bigint as block
`,
)

export type UseRow = { owner: string; energy: bigint; fees: bigint }

/** Of each stake in the blocks after $1 up to $2: Energy delegated for orders, and fees of all its transactions. */
export const readUses = statement<UseRow>(
  'delivery.readStakeUses',
  `
  select g.owner, sum(g.energy)::bigint as energy, sum(g.fee)::bigint as fees
    from (select d.owner_address as owner, d.energy, 0::bigint as fee from delivery.delegation d
           where d.provider = 'own_stake' and d.block_number > $1 and d.block_number <= $2
          union all
          select coalesce(d.owner_address, r.owner_address, m.owner_address), 0, f.fee_sun
            from delivery.network_fee f
            left join delivery.delegation d on d.txid = f.txid
            left join delivery.delegation r on r.reclaim_txid = f.txid
            left join delivery.standing_move m on m.txid = f.txid
           where f.fee_sun > 0 and f.block_number > $1 and f.block_number <= $2) g
   where g.owner is not null
   group by g.owner
`,
)

/** Written as two conditions, each of which has an index. */
export const readLent = statement<{ owner: string; stake: bigint }>(
  'delivery.readStakeLent',
  `
  select d.owner_address as owner, sum(d.stake_sun)::bigint as stake
    from (select owner_address, stake_sun, provider, block_number from delivery.delegation
           where reclaimed_at is null and reclaim_txid is null
          union all
          select owner_address, stake_sun, provider, block_number from delivery.delegation
           where reclaimed_at is null and reclaim_txid is not null) d
   where d.provider = 'own_stake' and d.block_number is not null
   group by d.owner_address
`,
)
