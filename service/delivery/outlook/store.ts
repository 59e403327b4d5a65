import { statement } from '../../db/index.ts'

export type PulseRow = {
  open: bigint
  /** Open, and its deadline is near. */
  nearDeadline: bigint
  undecided: bigint
  undecidedSince: Date | null
}

export const readPulse = statement<PulseRow>(
  'delivery.readPulse',
  `
  select (select count(*) from delivery.request where state = 'open') as open,
         (select count(*) from delivery.request where state = 'open' and deadline_at < $1) as "nearDeadline",
         (select count(*) from delivery.undecided where decision is null) as undecided,
         (select min(since) from delivery.undecided where decision is null) as "undecidedSince"
`,
)

export type ReturningRow = { hour: bigint; energy: bigint }

/** Own Energy that is reclaimed in each hour from now; overdue reclaims count in the current hour. */
export const readReturning = statement<ReturningRow>(
  'delivery.readReturning',
  `
  select greatest(0, floor(extract(epoch from d.reclaim_at - $1::timestamptz) / 3600))::bigint as hour,
         sum(d.energy)::bigint as energy
    from delivery.delegation d
   where d.provider = 'own_stake' and d.reclaimed_at is null and d.block_number is not null and d.reclaim_at < $2
   group by 1 order by 1
`,
)

export type BurnedRow = { count: bigint; sun: bigint }

/** Delegations and reclaims after this block that burned TRX for lack of Bandwidth. */
export const readBurned = statement<BurnedRow>(
  'delivery.readBurned',
  `
  select count(*) as count, coalesce(sum(fee_sun), 0)::bigint as sun
    from delivery.network_fee
   where fee_sun > 0 and block_number > $1
`,
)

export type BoughtRow = { day: string; energy: bigint; cost: bigint }

/** Energy that marketplaces have delivered on each UTC day from a time on, and what it cost by the prices of its attempts. */
export const readBought = statement<BoughtRow>(
  'delivery.readBought',
  `
  select to_char(s.hour at time zone 'UTC', 'YYYY-MM-DD') as day, sum(s.energy)::bigint as energy,
         sum(s.price_sun)::bigint as cost
    from delivery.scorecard_hour s
   where s.hour >= $1 and s.provider <> 'own_stake' and s.outcome = 'delivered'
   group by 1 order by 1
`,
)

/** The request for which a transaction delegated, reclaimed or was claimed to. */
export const findRequest = statement<{ request: string }>(
  'delivery.findRequest',
  `
  select p.request_id as request
    from delivery.part p join delivery.attempt a on a.part_id = p.id
   where a.id in (select id from delivery.attempt where txid = $1
                  union select attempt_id from delivery.delegation where txid = $1 or reclaim_txid = $1
                  union select attempt_id from delivery.claim where txid = $1)
   limit 1
`,
)

export type StoryRow = {
  state: string
  reason: string | null
  createdAt: Date
  deadlineAt: Date
  choice: unknown
}

export const readStory = statement<StoryRow>(
  'delivery.readStory',
  `
  select state, reason, created_at as "createdAt", deadline_at as "deadlineAt", choice from delivery.request where id = $1
`,
)

export type StepRow = {
  part: string
  provider: string
  energy: bigint
  cost: bigint
  partState: string
  partReason: string | null
  attempt: string | null
  state: string | null
  reason: string | null
  response: string | null
  txid: string | null
  at: Date | null
  delegatedAt: Date | null
  reclaimedAt: Date | null
  reclaimTxid: string | null
  /** The block that holds the delegation. */
  block: bigint | null
}

/** Each part with its attempts, and what the chain shows of them. */
export const readSteps = statement<StepRow>(
  'delivery.readSteps',
  `
  select p.id as part, p.provider, p.energy, p.cost_sun as cost, p.state as "partState", p.reason as "partReason",
         a.id as attempt, a.state, a.reason, a.told as response, coalesce(a.txid, d.txid) as txid, a.created_at as at,
         d.delegated_at as "delegatedAt", d.reclaimed_at as "reclaimedAt", d.block_number as block,
         d.reclaim_txid as "reclaimTxid"
    from delivery.part p
    left join delivery.attempt a on a.part_id = p.id
    left join delivery.delegation d on d.attempt_id = a.id
   where p.request_id = $1
   order by p.id, a.id, d.txid
   limit 100
`,
)
