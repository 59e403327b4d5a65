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

export type PartRow = {
  id: string
  requestId: string
  provider: string
  energy: bigint
  unitPrice: bigint
  cost: bigint
  receiver: string
}

/**
 * Open parts of requests that still wait and are still in time. A part that somebody else is placing
 * is passed over, and so is one whose request is being ended: its lock is shared until we commit. Each
 * provider has its own round; what no marketplace of this house is asked for is own stake's to refuse.
 */
export const lockOpenParts = statement<PartRow>(
  'delivery.lockOpenParts',
  `
  select p.id, p.request_id as "requestId", p.provider, p.energy, p.unit_price_sun as "unitPrice",
         p.cost_sun as cost, r.receiver_address as receiver
    from delivery.part p join delivery.request r on r.id = p.request_id
   where p.state = 'open' and r.state = 'open' and r.deadline_at > $2
     and case when $3::text is null then p.provider <> all ($4::text[]) else p.provider = $3 end
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
    (id, part_id, provider, state, txid, signing_request, owner_address, stake_sun, expires_at, reason, energy,
     act_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
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

/** From then on some of the Energy may be taken back. */
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
  /** What its transaction delegates, and what the part wanted. */
  energy: bigint
  wanted: bigint
  /** A block on the chain holds the delegation. */
  seen: boolean
}

export const openAttempts = statement<OpenAttempt>(
  'delivery.openAttempts',
  `
  select a.id, a.part_id as "partId", p.request_id as "requestId", a.provider, a.txid,
         a.signing_request as "signingRequest", a.expires_at as "expiresAt", a.energy, p.energy as wanted,
         exists (select from delivery.delegation d where d.txid = a.txid and d.block_number is not null) as seen
    from delivery.attempt a join delivery.part p on p.id = a.part_id
   where a.state = 'sent' and a.txid is not null
   -- What the chain has shown comes first: attempts that only wait must not hide it.
   order by seen desc, a.id
   limit $1
`,
)

export type RequestRow = {
  id: string
  state: 'open' | 'delivered' | 'failed'
  trace: string
  energy: bigint
  deadlineAt: Date
}

export const lockRequest = statement<RequestRow>(
  'delivery.lockRequest',
  `
  select id, state, trace, energy, deadline_at as "deadlineAt" from delivery.request where id = $1 for update
`,
)

export type EndedAttempt = {
  provider: string
  cost: bigint
  energy: bigint
  orderId: string | null
}

/** Nothing when it has ended before. */
export const endAttempt = statement<EndedAttempt>(
  'delivery.endAttempt',
  `
  update delivery.attempt
     set state = $2, reason = $3, look_at = null, act_at = null,
         receiver_address = case when $2 in ('delivered', 'refused') then null else receiver_address end
   where id = $1 and state in ('sending', 'sent', 'unknown', 'undecided')
  returning provider, cost_sun as cost, energy, order_id as "orderId"
`,
)

export type StandingRow = { delegated: bigint; underWay: bigint; tried: string[] }

/** How far a request is: delegated for it, still being tried, and who has failed it. */
export const readStanding = statement<StandingRow>(
  'delivery.readStanding',
  `
  select coalesce((select sum(d.energy) from delivery.part p
                     join delivery.attempt a on a.part_id = p.id
                     join delivery.delegation d on d.attempt_id = a.id
                    where p.request_id = $1 and a.state in ('delivered', 'partial')), 0)::bigint as delegated,
         coalesce((select sum(p.energy) from delivery.part p
                    where p.request_id = $1 and p.state in ('open', 'trying')), 0)::bigint as "underWay",
         array(select distinct p.provider from delivery.part p
                where p.request_id = $1 and p.state = 'failed' order by p.provider) as tried
`,
)

export const readTxids = statement<{ txid: string }>(
  'delivery.readTxids',
  `
  select d.txid
    from delivery.part p
    join delivery.attempt a on a.part_id = p.id
    join delivery.delegation d on d.attempt_id = a.id
   where p.request_id = $1 and a.state in ('delivered', 'partial')
   order by d.txid
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

const DELEGATED = `(select coalesce(sum(d.energy), 0) from delivery.part p
                   join delivery.attempt a on a.part_id = p.id
                   join delivery.delegation d on d.attempt_id = a.id
                  where p.request_id = r.id and d.block_number is not null)`

export const overdueRequests = statement<{ id: string }>(
  'delivery.overdueRequests',
  `
  select r.id
    from delivery.request r
   where r.state = 'open' and r.deadline_at <= $1
     -- Delivered in time and only not written down yet is not overdue.
     and r.energy > ${DELEGATED}
   order by r.id
   limit $2
`,
)

/** Requests that somebody has failed, and that nobody is making up for yet. */
export const shortRequests = statement<{ id: string }>(
  'delivery.shortRequests',
  `
  select r.id
    from delivery.request r
   where r.state = 'open'
     and exists (select from delivery.part p where p.request_id = r.id and p.state = 'failed')
     and r.energy > ${DELEGATED}
                  + (select coalesce(sum(p.energy), 0) from delivery.part p
                      where p.request_id = r.id and p.state in ('open', 'trying'))
   order by r.id
   limit $1
`,
)

/** The newest plan and its reasons, after those before it. */
export const addChoice = statement(
  'delivery.addChoice',
  `
  update delivery.request set choice = choice || $2::jsonb where id = $1
`,
)

/** The request has ended; what is still on its way for it is watched on. */
export const suspectAttempts = statement(
  'delivery.suspectAttempts',
  `
  update delivery.attempt a set suspect_at = $2
    from delivery.part p
   where p.id = a.part_id and p.request_id = $1
     and a.state in ('sending', 'sent', 'unknown', 'undecided') and a.suspect_at is null
`,
)

export type HeldRow = { id: string; provider: string; energy: bigint; receiver: string }

/** Attempts that were held back until now. */
export const lockHeld = statement<HeldRow>(
  'delivery.lockHeld',
  `
  select a.id, a.provider, a.energy, r.receiver_address as receiver
    from delivery.attempt a
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   where a.act_at <= $1
   order by a.id
   limit $2
     for update of a skip locked
`,
)

export const actOn = statement(
  'delivery.actOn',
  `
  update delivery.attempt
     set act_at = null, txid = $2, signing_request = $3, owner_address = $4, stake_sun = $5, expires_at = $6
   where id = $1
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

/** What was never placed of a request that has ended is not to be placed any more. */
export const closeOpenParts = statement(
  'delivery.closeOpenParts',
  `
  update delivery.part set state = 'failed', reason = $2 where request_id = $1 and state = 'open'
`,
)
