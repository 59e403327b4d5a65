import { statement } from '../../db/index.ts'

const HOUR = `interval '1 hour'`

/** Receivers with standing Energy: what was moved to and from them counts towards their level. */
export const standingAmong = statement<{ address: string }>(
  'delivery.standingAmong',
  `
  select address from delivery.standing where address = any ($1)
`,
)

/** Delegations of orders that these books do not know: taken back when their hour is over. */
export const insertRecovered = statement(
  'delivery.insertRecovered',
  `
  insert into delivery.delegation
    (txid, attempt_id, provider, owner_address, receiver_address, stake_sun, energy, block_number, delegated_at, reclaim_at)
  select g.txid, null, 'own_stake', g.owner, g.receiver, g.stake, 0, g.block, g.at, g.at + ${HOUR}
    from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::timestamptz[])
         as g(txid, owner, receiver, stake, block, at)
   order by g.txid
  on conflict (txid) do nothing
`,
)

/** Moves of standing Energy; $7 are new ids, because no request of these books is theirs. */
export const insertRecoveredMoves = statement(
  'delivery.insertRecoveredMoves',
  `
  insert into delivery.standing_move
    (txid, address, kind, owner_address, stake_sun, block_number, expires_at, signing_request, state)
  select g.txid, g.address, g.kind, g.owner, g.stake, g.block, g.at, g.id, 'done'
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::uuid[], $8::timestamptz[])
         as g(txid, address, kind, owner, stake, block, id, at)
   order by g.txid
  on conflict (txid) do nothing
`,
)

/** The level of these addresses has to be read again. */
export const lookAtStanding = statement(
  'delivery.lookAtStanding',
  `
  update delivery.standing set look = true, looked_at = null where address = any ($1)
`,
)

/** Matches each reclaim with the oldest delegation of its owner, receiver and stake. Returns the matched. */
export const reclaimRecovered = statement<{ txid: string }>(
  'delivery.reclaimRecovered',
  `
  with reclaims as (
    select g.*, row_number() over (partition by g.owner, g.receiver, g.stake order by g.block, g.txid) as place
      from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::timestamptz[])
           as g(txid, owner, receiver, stake, block, at)
  ), open as (
    select d.txid, d.owner_address, d.receiver_address, d.stake_sun,
           row_number() over (partition by d.owner_address, d.receiver_address, d.stake_sun
                              order by d.delegated_at, d.txid) as place
      from delivery.delegation d
     where d.provider = 'own_stake' and d.reclaimed_at is null and d.block_number is not null
       and (d.owner_address, d.receiver_address, d.stake_sun) in (select owner, receiver, stake from reclaims)
  )
  update delivery.delegation d
     set reclaim_txid = r.txid, reclaim_expires_at = r.at, reclaim_block = r.block, reclaimed_at = r.at
    from reclaims r
    join open o on o.owner_address = r.owner and o.receiver_address = r.receiver and o.stake_sun = r.stake
               and o.place = r.place
   where d.txid = o.txid
  returning r.txid
`,
)

export type LeftRow = { txid: string; stake: bigint }

/** Recovered delegations of a pair that are not taken back, oldest first. */
export const lockRecovered = statement<LeftRow>(
  'delivery.lockRecovered',
  `
  select txid, stake_sun as stake from delivery.delegation
   where owner_address = $1 and receiver_address = $2 and attempt_id is null and reclaimed_at is null
   order by delegated_at, txid
     for update
`,
)

/** A part of a recovered delegation went back; without a rest it is over. */
export const shrinkRecovered = statement(
  'delivery.shrinkRecovered',
  `
  update delivery.delegation
     set stake_sun = $2::bigint, reclaimed_at = case when $2::bigint = 0 then $3::timestamptz end,
         reclaim_block = case when $2::bigint = 0 then $4::bigint end
   where txid = $1
`,
)
