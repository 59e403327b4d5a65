import { statement } from '../db/index.ts'

/** Evidence: delegations of a block whose txid belongs to an attempt of ours. */
export const recordDelegations = statement<{ txid: string }>(
  'delivery.recordDelegations',
  `
  insert into delivery.delegation as d
    (txid, attempt_id, provider, owner_address, receiver_address, stake_sun, energy, block_number, delegated_at, reclaim_at)
  select a.txid, a.id, a.provider, a.owner_address, r.receiver_address, a.stake_sun, a.energy, $2, $3,
         $3::timestamptz + make_interval(secs => r.duration_seconds)
    from delivery.attempt a
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   where a.txid = any ($1)
   order by a.id
  on conflict (txid) do update set block_number = excluded.block_number, delegated_at = excluded.delegated_at
  returning d.txid
`,
)

export const recordReclaims = statement<{ txid: string }>(
  'delivery.recordReclaims',
  `
  update delivery.delegation set reclaim_block = $2, reclaimed_at = $3 where reclaim_txid = any ($1)
  returning reclaim_txid as txid
`,
)

export const orphanDelegations = statement(
  'delivery.orphanDelegations',
  `
  update delivery.delegation
     set block_number = case when block_number = $1 then null else block_number end,
         reclaimed_at = case when reclaim_block = $1 then null else reclaimed_at end,
         reclaim_block = case when reclaim_block = $1 then null else reclaim_block end
   where block_number = $1 or reclaim_block = $1
`,
)

/** Delegations of a block to receivers that we watch; all others are ignored. */
export const recordSightings = statement<{ receiver: string }>(
  'delivery.recordSightings',
  `
  insert into delivery.sighting as s (txid, owner_address, receiver_address, stake_sun, block_number, seen_at)
  select g.txid, g.owner, g.receiver, g.stake, $5, $6
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as g(txid, owner, receiver, stake)
   where exists (select from delivery.attempt a where a.receiver_address = g.receiver)
   order by g.txid
  on conflict (txid) do update set block_number = excluded.block_number, seen_at = excluded.seen_at
  returning s.receiver_address as receiver
`,
)

/** Makes attempts due when the chain shows a delegation to their receiver. */
export const lookNow = statement(
  'delivery.lookNow',
  `
  update delivery.attempt set look_at = clock_timestamp()
   where id in (select id from delivery.attempt
                 where receiver_address = any ($1) and look_at > clock_timestamp() and state in ('sent', 'unknown')
                 order by id
                   for update skip locked)
`,
)

/** Delegations that are on the chain again, in another block. */
export const returnDelegations = statement(
  'delivery.returnDelegations',
  `
  update delivery.delegation set block_number = $2, delegated_at = $3
   where txid = any ($1) and provider <> 'own_stake' and block_number is null
`,
)

/**
 * Matches a marketplace's reclaim with the oldest delegation of that size. Two equal reclaims in one
 * block match the two oldest.
 */
export const recordReturns = statement(
  'delivery.recordReturns',
  `
  update delivery.delegation d set reclaim_block = $4, reclaimed_at = $5
    from (select o.txid, row_number() over (partition by o.owner_address, o.receiver_address, o.stake_sun
                                            order by o.delegated_at, o.txid) as place,
                 (select count(*) from unnest($1::text[], $2::text[], $3::bigint[]) as g(owner, receiver, stake)
                   where g.owner = o.owner_address and g.receiver = o.receiver_address and g.stake = o.stake_sun) as returned
            from delivery.delegation o
           where o.provider <> 'own_stake' and o.reclaimed_at is null
             and (o.owner_address, o.receiver_address, o.stake_sun) in
                 (select * from unnest($1::text[], $2::text[], $3::bigint[]))) back
   where d.txid = back.txid and back.place <= back.returned
`,
)

export const orphanSightings = statement(
  'delivery.orphanSightings',
  `
  update delivery.sighting set block_number = null where block_number = $1
`,
)
