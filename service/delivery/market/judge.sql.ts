import { statement } from '../../db/index.ts'
import { OPEN } from './store.ts'

export type MarketAttempt = {
  id: string
  partId: string
  requestId: string
  provider: string
  receiver: string
  energy: bigint
  word: 'pending' | 'delivered' | 'failed' | 'never' | null
  response: string | null
  looks: bigint
  createdAt: Date
}

export const marketAttempts = statement<MarketAttempt>(
  'delivery.marketAttempts',
  `
  select a.id, a.part_id as "partId", p.request_id as "requestId", a.provider, a.receiver_address as receiver,
         a.energy, a.word, a.told as response, a.looks, a.created_at as "createdAt"
    from delivery.attempt a join delivery.part p on p.id = a.part_id
   where a.called_at is not null and a.state in ${OPEN} and a.id <> all ($2::uuid[])
   order by a.id
   limit $1
`,
)

export type ClaimRow = {
  attempt: string
  txid: string
  owner: string | null
  receiver: string | null
  stake: bigint | null
  block: bigint | null
  seenAt: Date | null
}

/** Transactions named for these attempts, with the blocks that hold them. */
export const readClaims = statement<ClaimRow>(
  'delivery.readClaims',
  `
  select c.attempt_id as attempt, c.txid, s.owner_address as owner, s.receiver_address as receiver,
         s.stake_sun as stake, s.block_number as block, s.seen_at as "seenAt"
    from delivery.claim c
    left join delivery.sighting s on s.txid = c.txid and s.block_number is not null
   where c.attempt_id = any ($1)
   order by c.txid
`,
)

export type CandidateRow = { txid: string; stake: bigint }

/** Unnamed delegations from the marketplace's own addresses that may belong to an attempt. */
export const readCandidates = statement<CandidateRow>(
  'delivery.readCandidates',
  `
  select s.txid, s.stake_sun as stake
    from delivery.sighting s
    join delivery.delegator g on g.provider = $1 and g.address = s.owner_address
   where s.receiver_address = $2 and s.block_number is not null and s.seen_at >= $3
     and not exists (select from delivery.claim c where c.txid = s.txid)
     and not exists (select from delivery.delegation d where d.txid = s.txid)
   order by s.txid
`,
)

/** Other attempts, at the same marketplace and for the same receiver, that could own the same delegation. */
export const countRivals = statement<{ rivals: bigint }>(
  'delivery.countRivals',
  `
  select count(*) as rivals
    from delivery.attempt a
   where a.provider = $1 and a.receiver_address = $2 and a.id <> $3
     and not exists (select from delivery.claim c where c.attempt_id = a.id)
`,
)

export const insertDelegations = statement(
  'delivery.insertDelegations',
  `
  insert into delivery.delegation
    (txid, attempt_id, provider, owner_address, receiver_address, stake_sun, energy, block_number, delegated_at, reclaim_at)
  select g.txid, a.id, a.provider, g.owner, r.receiver_address, g.stake, g.energy, g.block, g.seen,
         g.seen + make_interval(secs => r.duration_seconds)
    from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::timestamptz[])
         as g(txid, owner, stake, energy, block, seen)
    join delivery.attempt a on a.id = $1
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
   order by g.txid
  on conflict (txid) do nothing
`,
)

export const learnDelegators = statement(
  'delivery.learnDelegators',
  `
  insert into delivery.delegator (provider, address) select distinct $1, address from unnest($2::text[]) as address
  on conflict do nothing
`,
)

export type LateRow = {
  txid: string
  attempt: string
  requestId: string
  provider: string
  unitPrice: bigint
  owner: string
  receiver: string
  stake: bigint
  block: bigint
  seenAt: Date
  /** The attempt was given up or the request failed: no order needs the Energy. */
  useless: boolean
}

/** Energy that arrived for attempts that were given up. */
export const readLate = statement<LateRow>(
  'delivery.readLate',
  `
  select c.txid, a.id as attempt, p.request_id as "requestId", a.provider, a.unit_price_sun as "unitPrice",
         s.owner_address as owner, s.receiver_address as receiver, s.stake_sun as stake,
         s.block_number as block, s.seen_at as "seenAt",
         a.state = 'absent' or r.state = 'failed' as useless
    from delivery.attempt a
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id
    join delivery.claim c on c.attempt_id = a.id
    join delivery.sighting s on s.txid = c.txid and s.receiver_address = a.receiver_address
   where a.receiver_address is not null and a.state in ('absent', 'partial') and s.block_number is not null
     and s.seen_at >= a.created_at - make_interval(secs => $2 / 1000.0)
     and not exists (select from delivery.delegation d where d.txid = c.txid)
     and c.txid <> all ($3::text[])
   order by c.txid
   limit $1
`,
)

export const reclaimLate = statement(
  'delivery.reclaimLate',
  `
  update delivery.delegation set reclaim_at = least(reclaim_at, $2) where txid = $1
`,
)
