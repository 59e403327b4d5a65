import { statement } from '../db/index.ts'

export type TransferState =
  | 'requested'
  | 'refused'
  | 'dead'
  | 'booked'
  | 'solid'
  | 'missing'
  | 'arrived'
  | 'lost'

export type TransferRow = {
  id: string
  kind: 'surplus' | 'top_up'
  provider: string | null
  to: string
  amount: bigint
  state: TransferState
  txid: string
  signingRequest: string
  createdAt: Date
  endedAt: Date | null
  fee: bigint | null
  trouble: string | null
  before: bigint | null
  beforeFrom: Date | null
  beforeTill: Date | null
  openBefore: string[]
  dueAt: Date | null
  credited: bigint | null
  decidedBy: string | null
  decidedAt: Date | null
  decisionReason: string | null
}

const TRANSFER = `id, kind, provider, to_address as "to", amount_sun as amount, state, txid,
  signing_request as "signingRequest", created_at as "createdAt", ended_at as "endedAt", fee_sun as fee, trouble,
  before_sun as before, before_from as "beforeFrom", before_till as "beforeTill",
  open_before::text[] as "openBefore", due_at as "dueAt", credited_sun as credited, decided_by as "decidedBy",
  decided_at as "decidedAt", decision_reason as "decisionReason"`

export const readTurn = statement<{ turn: bigint }>(
  'treasury.readTurn',
  `
  select turn from treasury.turn
`,
)

/** The lock of whoever asks for a transfer, taken before anything else of this room. */
export const lockTurn = statement<{ turn: bigint }>(
  'treasury.lockTurn',
  `
  select turn from treasury.turn for update
`,
)

export const nextTurn = statement(
  'treasury.nextTurn',
  `
  update treasury.turn set turn = turn + 1
`,
)

/** Nothing where one is alive for the same need. */
export const insertTransfer = statement<{ id: string }>(
  'treasury.insertTransfer',
  `
  insert into treasury.transfer
    (id, kind, provider, to_address, amount_sun, state, txid, signing_request, created_at, before_sun, before_from,
     before_till, open_before)
  values ($1, $2, $3, $4, $5, 'requested', $6, $7, $8, $9, $10, $11, $12::uuid[])
  on conflict do nothing
  returning id
`,
)

export const openTransfers = statement<TransferRow>(
  'treasury.openTransfers',
  `
  select ${TRANSFER} from treasury.transfer where state = 'requested' and id <> all ($2::uuid[]) order by id limit $1
`,
)

/** Top-ups that a marketplace has not shown yet. */
export const awaitedTopUps = statement<TransferRow>(
  'treasury.awaitedTopUps',
  `
  select ${TRANSFER} from treasury.transfer
   where state in ('solid', 'missing') and id <> all ($1::uuid[]) order by id
`,
)

export const listTransfers = statement<TransferRow>(
  'treasury.listTransfers',
  `
  select ${TRANSFER} from treasury.transfer order by id desc limit $1
`,
)

export const findTransfer = statement<TransferRow>(
  'treasury.findTransfer',
  `
  select ${TRANSFER} from treasury.transfer where id = $1
`,
)

export const lockTransfer = statement<TransferRow>(
  'treasury.lockTransfer',
  `
  select ${TRANSFER} from treasury.transfer where id = $1 for update
`,
)

/** $3: the fee of one that a solid block holds. */
export const endTransfer = statement<{ id: string }>(
  'treasury.endTransfer',
  `
  update treasury.transfer set state = $2, fee_sun = $3, trouble = $4, ended_at = $5, due_at = $6
   where id = $1 and state = 'requested'
  returning id
`,
)

export const markMissing = statement<{ id: string }>(
  'treasury.markMissing',
  `
  update treasury.transfer set state = 'missing', trouble = $2 where id = $1 and state = 'solid' and due_at <= $3
  returning id
`,
)

export const noteTrouble = statement(
  'treasury.noteTrouble',
  `
  update treasury.transfer set trouble = $2 where id = $1 and state in ('solid', 'missing') and trouble is distinct from $2
`,
)

/** By the marketplace's balance. */
export const markArrived = statement<{ id: string }>(
  'treasury.markArrived',
  `
  update treasury.transfer set state = 'arrived', credited_sun = amount_sun, arrived_at = $2, trouble = null
   where id = $1 and state = 'solid'
  returning id
`,
)

/** By a person's word: arrived or lost with what was credited, or solid again until $4. */
export const decideTransfer = statement(
  'treasury.decideTransfer',
  `
  update treasury.transfer
     set state = $2, credited_sun = $3, due_at = coalesce($4, due_at), decided_by = $5, decided_at = $6, decision_reason = $7,
         trouble = null
   where id = $1 and state = 'missing'
`,
)

export type OpenSum = { amount: bigint; count: bigint }

/** Asked for and in no solid block yet. */
export const sumRequested = statement<OpenSum>(
  'treasury.sumRequested',
  `
  select coalesce(sum(amount_sun), 0)::bigint as amount, count(*) as count from treasury.transfer where state = 'requested'
`,
)

/** As the signer counts: what was signed to an address within an hour and a day. Its time of signing is before the end. */
export const sentTo = statement<{ hour: bigint; day: bigint }>(
  'treasury.sentTo',
  `
  select coalesce(sum(amount_sun) filter (where ended_at is null or ended_at > $2), 0)::bigint as hour,
         coalesce(sum(amount_sun) filter (where ended_at is null or ended_at > $3), 0)::bigint as day
    from treasury.transfer
   where to_address = $1 and state <> 'refused' and (ended_at is null or ended_at > $3)
`,
)

/** Top-ups of a marketplace that count towards its daily cap. */
export const toppedUp = statement<{ amount: bigint }>(
  'treasury.toppedUp',
  `
  select coalesce(sum(amount_sun), 0)::bigint as amount from treasury.transfer
   where provider = $1 and state not in ('refused', 'dead') and (ended_at is null or ended_at > $2)
`,
)

/** What a marketplace was ever sent: as it credited it, and what it may not have credited yet. */
export const paidIn = statement<{ arrived: bigint; pending: bigint }>(
  'treasury.paidIn',
  `
  select coalesce(sum(credited_sun), 0)::bigint as arrived,
         coalesce(sum(amount_sun) filter (where state in ('requested', 'solid', 'missing')), 0)::bigint as pending
    from treasury.transfer where provider = $1
`,
)

/** The last one for a need, if the signer refused it. */
export const lastRefusal = statement<{ endedAt: Date; trouble: string }>(
  'treasury.lastRefusal',
  `
  select t.ended_at as "endedAt", t.trouble
    from (select state, ended_at, trouble from treasury.transfer
           where kind = $1 and provider is not distinct from $2 order by id desc limit 1) t
   where t.state = 'refused'
`,
)

export const findNeed = statement<{ state: TransferState }>(
  'treasury.findNeed',
  `
  select state from treasury.transfer
   where kind = $1 and provider is not distinct from $2 and state in ('requested', 'solid', 'missing')
`,
)

export type SentRow = { topUps: bigint; fees: bigint; first: Date | null }

/** Top-ups and fees since a time, for the forecast. */
export const sentSince = statement<SentRow>(
  'treasury.sentSince',
  `
  select coalesce(sum(amount_sun) filter (where kind = 'top_up'), 0)::bigint as "topUps",
         coalesce(sum(fee_sun), 0)::bigint as fees, min(created_at) as first
    from treasury.transfer where created_at >= $1 and state not in ('refused', 'dead')
`,
)

/** A row when the reason is another than before. */
export const setWaiting = statement<{ purpose: string }>(
  'treasury.setWaiting',
  `
  insert into treasury.waiting as w (purpose, reason, since) values ($1, $2, $3)
  on conflict (purpose) do update set reason = excluded.reason
    where w.reason is distinct from excluded.reason
  returning w.purpose
`,
)

export const endWaiting = statement(
  'treasury.endWaiting',
  `
  delete from treasury.waiting where purpose = $1
`,
)

export type WaitingRow = { purpose: string; reason: string; since: Date }

export const readWaiting = statement<WaitingRow>(
  'treasury.readWaiting',
  `
  select purpose, reason, since from treasury.waiting order by purpose
`,
)

export const countMissing = statement<{ count: bigint; oldest: Date | null }>(
  'treasury.countMissing',
  `
  select count(*) as count, min(due_at) as oldest from treasury.transfer where state = 'missing'
`,
)

/** Those of the transactions that match a transfer exactly. */
export const knownTransfers = statement<{ txid: string }>(
  'treasury.knownTransfers',
  `
  select t.txid from unnest($1::text[], $2::text[], $3::bigint[]) as g(txid, receiver, amount)
    join treasury.transfer t on t.txid = g.txid and t.to_address = g.receiver and t.amount_sun = g.amount
`,
)
