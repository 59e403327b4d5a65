import { statement } from '../../db/index.ts'

export type ForeignReclaim = {
  txid: string
  owner: string
  /** Base58. */
  receiver: string
  stake: bigint
  block: bigint
  at: Date
}

const COLUMNS = `f.txid, f.owner_address as owner, f.receiver_address as receiver, f.stake_sun as stake,
         f.block_number as block, f.reclaimed_at as at`

/** One after the other for each pair of addresses: what the first took is not there for the second. */
const IS_FIRST = `not exists (
     select from delivery.foreign_reclaim o
      where o.owner_address = f.owner_address and o.receiver_address = f.receiver_address and o.decided_at is null
        and (o.block_number, o.txid) < (f.block_number, f.txid))`

/** Solid ones; they wait for open orders to the address, whose delegations are not all known. */
export const openReclaims = statement<ForeignReclaim>(
  'delivery.openReclaims',
  `
  select ${COLUMNS}
    from delivery.foreign_reclaim f
   where f.decided_at is null and f.block_number <= $1 and f.txid <> all ($3::text[]) and ${IS_FIRST}
     and not exists (select from delivery.request r
                      where r.state = 'open' and r.receiver_address = f.receiver_address)
   order by f.block_number, f.txid
   limit $2
`,
)

export const lockReclaim = statement<ForeignReclaim>(
  'delivery.lockReclaim',
  `
  select ${COLUMNS}
    from delivery.foreign_reclaim f
   where f.txid = $1 and f.decided_at is null and ${IS_FIRST}
     for update of f skip locked
`,
)

export const decideReclaim = statement(
  'delivery.decideReclaim',
  `
  update delivery.foreign_reclaim set decided_at = $2 where txid = $1
`,
)

export type NeededRow = {
  txid: string
  /** The order's request, also when this delegation was made again for it. */
  request: string
  provider: string
  energy: bigint
  /** All Energy that was delegated for the order's request. */
  whole: bigint
  stake: bigint
  /** What nobody has taken back yet. */
  left: bigint
  endsAt: Date
}

/** Delegations of completed orders between two addresses whose hour ran at a time; the newest order first. */
export const readNeeded = statement<NeededRow>(
  'delivery.readNeeded',
  `
  select d.txid, f.request, d.provider, d.energy, f.whole, d.stake_sun as stake,
         (d.stake_sun - coalesce(t.stake, 0))::bigint as left, d.reclaim_at as "endsAt"
    from delivery.delegation d
    join delivery.attempt a on a.id = d.attempt_id and a.state in ('delivered', 'partial')
    join delivery.part p on p.id = a.part_id
    join delivery.request r on r.id = p.request_id and r.state = 'delivered'
    join lateral (
      select o.id as request, (select sum(e.energy) from delivery.part q
                                 join delivery.attempt b on b.part_id = q.id and b.state in ('delivered', 'partial')
                                 join delivery.delegation e on e.attempt_id = b.id
                                where q.request_id = o.id)::bigint as whole
        from delivery.first_request(p.request_id) as o(id)) f on true
    left join lateral (select sum(b.stake_sun) as stake from delivery.taken_back b
                        where b.delegation_txid = d.txid) t on true
   where d.txid in (
           select o.txid from delivery.delegation o
            where o.owner_address = $1 and o.receiver_address = $2 and o.provider <> 'own_stake' and o.reclaimed_at is null
           union all
           select o.txid from delivery.delegation o
            where o.owner_address = $1 and o.receiver_address = $2 and o.provider = 'own_stake' and o.reclaimed_at is null)
     and d.block_number <= $3 and d.reclaim_at > $4
   order by r.created_at desc, r.id desc, d.delegated_at desc, d.txid desc
`,
)

/** `latest`: the block of the last move; null without one. */
export type MovedRow = { moved: bigint; latest: bigint | null; standing: bigint }

/**
 * What came and went between two addresses in the blocks after $3 up to $4, and the standing Energy that was there
 * at $3. A transaction may be in several tables and counts once.
 */
export const readMoved = statement<MovedRow>(
  'delivery.readMoved',
  `
  select coalesce(sum(case m.kind when 'delegate' then m.stake else -m.stake end), 0)::bigint as moved,
         max(m.block) as latest,
         coalesce((
           select sum(case s.kind when 'delegate' then s.stake_sun else -s.stake_sun end)
             from delivery.standing_move s
            where s.address = $2 and s.owner_address = $1 and s.state = 'done' and s.block_number <= $3), 0)::bigint as standing
    from (select 'delegate' as kind, s.txid, s.stake_sun as stake, s.block_number as block from delivery.sighting s
           where s.owner_address = $1 and s.receiver_address = $5 and s.block_number > $3 and s.block_number <= $4
          union
          select 'delegate', d.txid, d.stake_sun, d.block_number from delivery.delegation d
           where d.owner_address = $1 and d.receiver_address = $2 and d.block_number > $3 and d.block_number <= $4
          union
          select 'reclaim', d.reclaim_txid,
                 (d.stake_sun - (select coalesce(sum(b.stake_sun), 0) from delivery.taken_back b
                                  where b.delegation_txid = d.txid))::bigint, d.reclaim_block
            from delivery.delegation d
           where d.owner_address = $1 and d.receiver_address = $2 and d.reclaim_txid is not null
             and d.reclaim_block > $3 and d.reclaim_block <= $4
          union
          select 'reclaim', f.txid, f.stake_sun, f.block_number from delivery.foreign_reclaim f
           where f.owner_address = $1 and f.receiver_address = $2 and f.block_number > $3 and f.block_number <= $4
          union
          select s.kind, s.txid, s.stake_sun, s.block_number from delivery.standing_move s
           where s.address = $2 and s.owner_address = $1 and s.state = 'done'
             and s.block_number > $3 and s.block_number <= $4) m
`,
)

export const insertTaken = statement(
  'delivery.insertTaken',
  `
  insert into delivery.taken_back (reclaim_txid, delegation_txid, provider, stake_sun, reclaimed_at)
  select $1, g.txid, g.provider, g.stake, $2
    from unnest($3::text[], $4::text[], $5::bigint[]) as g(txid, provider, stake)
   order by g.txid
`,
)

/** Of these delegations nothing is left: there is nothing to reclaim after the hour. */
export const endTaken = statement(
  'delivery.endTaken',
  `
  update delivery.delegation d set reclaim_block = $2, reclaimed_at = $3
   where d.txid in (select o.txid from delivery.delegation o where o.txid = any ($1) order by o.txid for update)
     and d.reclaimed_at is null
`,
)

/** How many transactions took Energy of this provider back within 24 hours up to a time. */
export const countTaken = statement<{ count: bigint }>(
  'delivery.countTaken',
  `
  select count(distinct reclaim_txid) as count from delivery.taken_back
   where provider = $1 and reclaimed_at > $2::timestamptz - interval '24 hours' and reclaimed_at <= $2
`,
)
