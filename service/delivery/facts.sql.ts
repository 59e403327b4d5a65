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

/** Delegations of a block to receivers that we watch, as hex and as base58; all others are ignored. */
export const recordSightings = statement<{ receiver: string }>(
  'delivery.recordSightings',
  `
  insert into delivery.sighting as s (txid, owner_address, receiver_address, stake_sun, block_number, seen_at)
  select g.txid, g.owner, g.receiver, g.stake, $6, $7
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) as g(txid, owner, receiver, name, stake)
   where exists (select from delivery.attempt a where a.receiver_address = g.receiver)
      -- What a reclaim took is worked out from the stake of today less what came since.
      or exists (select from delivery.foreign_reclaim f
                  where f.owner_address = g.owner and f.receiver_address = g.name and f.decided_at is null)
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
 * Records undelegations of others, in one statement, because most blocks hold some. Those from addresses that hold
 * Energy for us wait for takenBack/. A marketplace's also ends the oldest delegation with so much left whose hour is over or
 * whose order failed; two equal ones in a block end the two oldest.
 */
export const recordReturns = statement(
  'delivery.recordReturns',
  `
  with returned (txid, owner, receiver, name, stake) as (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
  ), noted as (
    insert into delivery.foreign_reclaim as f (txid, owner_address, receiver_address, stake_sun, block_number, reclaimed_at)
    select g.txid, g.owner, g.name, g.stake, $6, $7
      from returned g
     where not exists (select from delivery.delegation d where d.reclaim_txid = g.txid)
       and not exists (select from delivery.standing_move m where m.txid = g.txid)
       and (exists (select from delivery.attempt a where a.receiver_address = g.receiver)
            or exists (select from delivery.delegation d
                        where d.owner_address = g.owner and d.receiver_address = g.name
                          and d.provider <> 'own_stake' and d.reclaimed_at is null and d.reclaim_at > $7)
            or exists (select from delivery.delegation d
                        where d.owner_address = g.owner and d.receiver_address = g.name
                          and d.provider = 'own_stake' and d.reclaimed_at is null and d.reclaim_at > $7)
            or exists (select from delivery.foreign_reclaim o
                        where o.owner_address = g.owner and o.receiver_address = g.name and o.decided_at is null))
     order by g.txid
    on conflict (txid) do update set block_number = excluded.block_number, reclaimed_at = excluded.reclaimed_at
     where f.decided_at is null
  )
  update delivery.delegation d set reclaim_block = $6, reclaimed_at = $7
    from (select o.txid, row_number() over (partition by o.owner_address, o.receiver_address, l.stake
                                            order by o.delegated_at, o.txid) as place,
                 (select count(*) from returned g
                   where g.owner = o.owner_address and g.name = o.receiver_address and g.stake = l.stake) as returned
            from delivery.delegation o
           cross join lateral (
             select o.stake_sun - coalesce(sum(t.stake_sun), 0) as stake from delivery.taken_back t
              where t.delegation_txid = o.txid) l
           where o.provider <> 'own_stake' and o.reclaimed_at is null
             and (o.reclaim_at <= $7
                  or not exists (select from delivery.attempt a join delivery.part p on p.id = a.part_id
                                   join delivery.request r on r.id = p.request_id
                                  where a.id = o.attempt_id and a.state <> 'absent' and r.state <> 'failed'))
             and (o.owner_address, o.receiver_address) in (select g.owner, g.name from returned g)) back
   where d.txid = back.txid and back.place <= back.returned
`,
)

/** Also what others took back in it: read again from the block that holds it then. */
export const orphanSightings = statement(
  'delivery.orphanSightings',
  `
  with gone as (
    delete from delivery.foreign_reclaim where block_number = $1 and decided_at is null
  )
  update delivery.sighting set block_number = null where block_number = $1
`,
)
