import { statement } from '../db/index.ts'

export const insertRequests = statement(
  'delivery.insertRequests',
  `
  insert into delivery.request
    (id, receiver_address, energy, duration_seconds, deadline_at, state, trace, choice, created_at)
  select g.id, g.receiver, g.energy, g.duration, g.deadline, 'open', g.trace, jsonb_build_array(g.choice), $8
    from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::text[], $7::jsonb[])
         as g(id, receiver, energy, duration, deadline, trace, choice)
`,
)

export const insertParts = statement(
  'delivery.insertParts',
  `
  insert into delivery.part (id, request_id, provider, energy, unit_price_sun, cost_sun, state)
  select p.*, 'open' from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) as p
`,
)

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

/** The earliest time at which some of the Energy may be reclaimed. */
export const earliestEnd = statement<{ at: Date | null }>(
  'delivery.earliestEnd',
  `
  select min(d.delegated_at + make_interval(secs => r.duration_seconds)) as at
    from delivery.delegation d
    join delivery.attempt a on a.id = d.attempt_id
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   where d.txid = any ($1)
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

/** Appends the newest plan and its reasons. */
export const addChoice = statement(
  'delivery.addChoice',
  `
  update delivery.request set choice = choice || $2::jsonb where id = $1
`,
)

export type ReclaimRow = {
  txid: string
  owner: string
  receiver: string
  stake: bigint
}

export const lockReclaims = statement<ReclaimRow>(
  'delivery.lockReclaims',
  `
  select txid, owner_address as owner, receiver_address as receiver, stake_sun as stake
    from delivery.delegation
   where reclaimed_at is null and reclaim_txid is null and reclaim_at <= $1 and block_number is not null
     and provider = 'own_stake'
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
   where reclaimed_at is null and reclaim_txid is not null and reclaim_expires_at < $1
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

export type LostRow = {
  txid: string
  receiver: string
  energy: bigint
  provider: string
  delegatedAt: Date
  reclaimAt: Date
  trace: string
}

/** Delegations of delivered requests whose block was orphaned, while their hour still runs. */
export const lockOrphaned = statement<LostRow>(
  'delivery.lockOrphaned',
  `
  select d.txid, d.receiver_address as receiver, d.energy, d.provider, d.delegated_at as "delegatedAt",
         d.reclaim_at as "reclaimAt", r.trace
    from delivery.delegation d
    join delivery.attempt a on a.id = d.attempt_id
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   where d.block_number is null and d.redelivered_by is null and d.reclaim_at > $1 and r.state = 'delivered'
   order by d.txid
   limit $2
     for update of d skip locked
`,
)

export const setRedelivered = statement(
  'delivery.setRedelivered',
  `
  update delivery.delegation set redelivered_by = $2 where txid = $1
`,
)

/** Which of these transactions are delegations and reclaims that we asked for. */
export const knownMoves = statement<{ txid: string }>(
  'delivery.knownMoves',
  `
  select g.txid from unnest($1::text[]) as g(txid)
   where exists (select from delivery.attempt a where a.txid = g.txid)
      or exists (select from delivery.delegation d where d.reclaim_txid = g.txid)
      or exists (select from delivery.standing_move m where m.txid = g.txid)
`,
)
