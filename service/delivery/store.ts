import { statement } from '../db/index.ts'

export const insertRequests = statement(
  'delivery.insertRequests',
  `
  insert into delivery.request (id, receiver_address, energy, duration_seconds, deadline_at, state, trace, created_at)
  select g.id, g.receiver, g.energy, g.duration, g.deadline, 'open', g.trace, $7
    from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::text[])
         as g(id, receiver, energy, duration, deadline, trace)
`,
)

export const insertParts = statement(
  'delivery.insertParts',
  `
  insert into delivery.part (id, request_id, provider, energy, state)
  select p.*, 'open' from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) as p
`,
)

export type PartRow = {
  id: string
  requestId: string
  provider: string
  energy: bigint
  receiver: string
}

/**
 * Open parts of requests that still wait and are still in time. A part that somebody else is placing
 * is passed over, and so is one whose request is being ended: its lock is shared until we commit.
 */
export const lockOpenParts = statement<PartRow>(
  'delivery.lockOpenParts',
  `
  select p.id, p.request_id as "requestId", p.provider, p.energy, r.receiver_address as receiver
    from delivery.part p join delivery.request r on r.id = p.request_id
   where p.state = 'open' and r.state = 'open' and r.deadline_at > $2
   order by p.id
   limit $1
     for update of p skip locked
     for share of r skip locked
`,
)

export const insertAttempt = statement(
  'delivery.insertAttempt',
  `
  insert into delivery.attempt
    (id, part_id, provider, state, txid, signing_request, owner_address, stake_sun, expires_at, reason, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
`,
)

export const setPart = statement(
  'delivery.setPart',
  `
  update delivery.part set state = $2, reason = $3 where id = $1
`,
)

/** Evidence: delegations in a block whose txid one of our attempts is waiting for. */
export const recordDelegations = statement<{ txid: string }>(
  'delivery.recordDelegations',
  `
  insert into delivery.delegation as d
    (txid, attempt_id, owner_address, receiver_address, stake_sun, energy, block_number, delegated_at, reclaim_at)
  select a.txid, a.id, a.owner_address, r.receiver_address, a.stake_sun, p.energy, $2, $3,
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

export const recordReclaims = statement(
  'delivery.recordReclaims',
  `
  update delivery.delegation set reclaim_block = $2, reclaimed_at = $3 where reclaim_txid = any ($1)
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

export type OpenAttempt = {
  id: string
  partId: string
  requestId: string
  provider: string
  txid: string
  signingRequest: string
  expiresAt: Date
  /** A block on the chain holds the delegation. */
  seen: boolean
}

export const openAttempts = statement<OpenAttempt>(
  'delivery.openAttempts',
  `
  select a.id, a.part_id as "partId", p.request_id as "requestId", a.provider, a.txid,
         a.signing_request as "signingRequest", a.expires_at as "expiresAt",
         exists (select from delivery.delegation d where d.txid = a.txid and d.block_number is not null) as seen
    from delivery.attempt a join delivery.part p on p.id = a.part_id
   where a.state = 'sent'
   -- What the chain has shown comes first: attempts that only wait must not hide it.
   order by seen desc, a.id
   limit $1
`,
)

export type RequestRow = { id: string; state: 'open' | 'delivered' | 'failed'; trace: string }

export const lockRequest = statement<RequestRow>(
  'delivery.lockRequest',
  `
  select id, state, trace from delivery.request where id = $1 for update
`,
)

export const endAttempt = statement<{ id: string }>(
  'delivery.endAttempt',
  `
  update delivery.attempt set state = $2, reason = $3 where id = $1 and state = 'sent' returning id
`,
)

export const readParts = statement<{ state: string }>(
  'delivery.readParts',
  `
  select state from delivery.part where request_id = $1
`,
)

export const readTxids = statement<{ txid: string }>(
  'delivery.readTxids',
  `
  select a.txid
    from delivery.attempt a join delivery.part p on p.id = a.part_id
   where p.request_id = $1 and a.state = 'delivered'
   order by a.txid
`,
)

export const endRequest = statement(
  'delivery.endRequest',
  `
  update delivery.request set state = $2, reason = $3 where id = $1
`,
)

/** What a failed request had delegated is taken back now, not after its hour. */
export const reclaimNow = statement(
  'delivery.reclaimNow',
  `
  update delivery.delegation d set reclaim_at = least(d.reclaim_at, $2)
    from delivery.attempt a join delivery.part p on p.id = a.part_id
   where d.attempt_id = a.id and p.request_id = $1
`,
)

export const overdueRequests = statement<{ id: string }>(
  'delivery.overdueRequests',
  `
  select r.id
    from delivery.request r
   where r.state = 'open' and r.deadline_at <= $1
     -- Delivered in time and only not written down yet is not overdue.
     and exists (select from delivery.part p
                  where p.request_id = r.id
                    and not exists (select from delivery.attempt a join delivery.delegation d on d.txid = a.txid
                                     where a.part_id = p.id and d.block_number is not null))
   order by r.id
   limit $2
`,
)

/** Requests one of whose parts no provider would take, with nothing of them under way. */
export const refusedRequests = statement<{ id: string }>(
  'delivery.refusedRequests',
  `
  select r.id
    from delivery.request r
   where r.state = 'open'
     and exists (select from delivery.part p where p.request_id = r.id and p.state = 'failed')
   order by r.id
   limit $1
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
  reclaimAt: Date
  trace: string
}

/** Delegations of delivered requests whose block was orphaned, while their hour still runs. */
export const lockOrphaned = statement<LostRow>(
  'delivery.lockOrphaned',
  `
  select d.txid, d.receiver_address as receiver, d.energy, d.reclaim_at as "reclaimAt", r.trace
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

/** What was never placed of a request that has ended is not to be placed any more. */
export const closeOpenParts = statement(
  'delivery.closeOpenParts',
  `
  update delivery.part set state = 'failed', reason = $2 where request_id = $1 and state = 'open'
`,
)
