import { statement } from '../../db/index.ts'

const OPEN = `('sending', 'sent', 'unknown', 'undecided')`

export const findOpenPart = statement<{ id: string }>(
  'delivery.findOpenPart',
  `
  select p.id
    from delivery.part p join delivery.request r on r.id = p.request_id
   where p.state = 'open' and p.provider = $1 and r.state = 'open' and r.deadline_at > $2
   limit 1
`,
)

/** Committed before the call, so that the resolver finds the attempt whatever happens to the call. */
export const insertCall = statement(
  'delivery.insertCall',
  `
  insert into delivery.attempt
    (id, part_id, provider, state, energy, unit_price_sun, cost_sun, receiver_address, called_at, look_at, created_at)
  values ($1, $2, $3, 'sending', $4, $5, $6, $7, clock_timestamp(),
          clock_timestamp() + make_interval(secs => $8 / 1000.0), $9)
`,
)

/** Also stored after the attempt was given up: its Energy is then booked as goodwill. */
export const recordAccepted = statement(
  'delivery.recordAccepted',
  `
  update delivery.attempt
     set order_id = coalesce(order_id, $2), cost_sun = coalesce($3, cost_sun), told = 'accepted',
         word = case when state = 'sending' then 'pending' else word end,
         look_at = case when state = 'sending' then clock_timestamp() + interval '1 second' else look_at end,
         state = case when state = 'sending' then 'sent' else state end
   where id = $1
`,
)

export const recordLost = statement(
  'delivery.recordLost',
  `
  update delivery.attempt
     set state = 'unknown', told = $2, look_at = clock_timestamp() + interval '1 second'
   where id = $1 and state = 'sending'
`,
)

export type LookRow = {
  id: string
  orderId: string | null
  receiver: string
  energy: bigint
  unitPrice: bigint
  calledAt: Date
  /** Its request is still open. */
  wanted: boolean
}

/**
 * Claims attempts that are due for a look-up. Intervals grow, by the database's clock: up to 15 s while
 * the request is open, up to five minutes afterwards.
 */
export const claimLooks = statement<LookRow>(
  'delivery.claimLooks',
  `
  update delivery.attempt a
     set looks = a.looks + 1,
         look_at = clock_timestamp() + make_interval(secs =>
           least(power(2, least(a.looks, 10)), case when a.suspect_at is null then 15 else 300 end))
   where a.id in (
     select id from delivery.attempt
      where provider = $1 and look_at <= clock_timestamp() and state in ${OPEN}
      order by look_at, id
      limit $2
        for update skip locked)
  returning a.id, a.order_id as "orderId", a.receiver_address as receiver, a.energy,
            a.unit_price_sun as "unitPrice", a.called_at as "calledAt", a.suspect_at is null as wanted
`,
)

/** The next attempt to look up, and whether its order id is known. */
export const findLook = statement<{ known: boolean }>(
  'delivery.findLook',
  `
  select order_id is not null as known from delivery.attempt
   where provider = $1 and look_at <= clock_timestamp() and state in ${OPEN}
   order by look_at, id
   limit 1
`,
)

/** Order ids at this marketplace around that time that belong to other attempts of ours. */
export const readOtherOrders = statement<{ orderId: string }>(
  'delivery.readOtherOrders',
  `
  select order_id as "orderId"
    from delivery.attempt
   where provider = $1 and called_at between $2::timestamptz - interval '1 hour' and $2::timestamptz + interval '1 hour'
     and id <> $3 and order_id is not null
   order by called_at desc
   limit 10000
`,
)

export const recordWord = statement(
  'delivery.recordWord',
  `
  update delivery.attempt
     set word = $2, order_id = coalesce($3, order_id), cost_sun = coalesce($4, cost_sun), told = $5,
         state = case when state in ('sending', 'unknown') then 'sent' else state end
   where id = $1 and state in ${OPEN}
`,
)

/**
 * "Never seen" may mean "not yet": our request can wait in a queue of the marketplace. It counts only
 * after the time within which that queue is emptied.
 */
export const recordNever = statement(
  'delivery.recordNever',
  `
  update delivery.attempt
     set told = 'never seen',
         word = case when called_at + make_interval(secs => $2 / 1000.0) <= clock_timestamp() then 'never' end
   where id = $1 and state in ('sending', 'unknown') and order_id is null
`,
)

export const recordResponse = statement(
  'delivery.recordResponse',
  `
  update delivery.attempt set told = $2 where id = $1 and state in ${OPEN}
`,
)

export const claimTransactions = statement(
  'delivery.claimTransactions',
  `
  insert into delivery.claim (txid, attempt_id) select txid, $2 from unnest($1::text[]) as txid
   order by txid
  on conflict (txid) do nothing
`,
)

/** Other attempts for which the same transactions were named. */
export const claimedByOthers = statement<{ txid: string; attempt: string }>(
  'delivery.claimedByOthers',
  `
  select txid, attempt_id as attempt from delivery.claim where txid = any ($1) and attempt_id <> $2 order by txid
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
   where a.called_at is not null and a.state in ${OPEN}
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
   order by c.txid
   limit $1
`,
)

/** Orders whose Energy is of no use any more, for marketplaces that can end them early. */
export const giveBack = statement(
  'delivery.giveBack',
  `
  update delivery.attempt a set give_back = true
   where a.id = any ($1) and a.order_id is not null
     and a.state in ('delivered', 'partial', 'absent')
     and exists (select from delivery.delegation d where d.attempt_id = a.id)
`,
)

export const findGiveBack = statement(
  'delivery.findGiveBack',
  `
  select from delivery.attempt where provider = $1 and give_back limit 1
`,
)

export const claimGiveBack = statement<{ orderId: string }>(
  'delivery.claimGiveBack',
  `
  update delivery.attempt set give_back = false
   where id in (select id from delivery.attempt where provider = $1 and give_back
                 order by id limit 1 for update skip locked)
  returning order_id as "orderId"
`,
)

export const stopWatching = statement(
  'delivery.stopWatching',
  `
  update delivery.attempt set receiver_address = null
   where receiver_address is not null and created_at < $1 and state not in ${OPEN}
`,
)

export const forgetSightings = statement(
  'delivery.forgetSightings',
  `
  delete from delivery.sighting where seen_at < $1
`,
)
