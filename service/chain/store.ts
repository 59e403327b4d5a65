import { statement } from '../db/index.ts'

export type CursorRow = {
  number: bigint
  id: string
  time: Date
  solidNumber: bigint
  solidId: string
  solidTime: Date
}

const CURSOR = `number, block_id as id, block_time as time, solid_number as "solidNumber",
  solid_id as "solidId", solid_time as "solidTime"`

export const readCursor = statement<CursorRow>(
  'chain.readCursor',
  `
  select ${CURSOR} from chain.cursor
`,
)

export const lockCursor = statement<CursorRow>(
  'chain.lockCursor',
  `
  select ${CURSOR} from chain.cursor for update
`,
)

/** The cursor, and the newest head with its ages; null before the first head. */
export type SightRow = CursorRow & {
  headNumber: bigint | null
  headTime: Date | null
  /** Since a node last answered. */
  headAgeMs: bigint | null
  /** Since this head was first seen. */
  headShownMs: bigint | null
}

export const readSight = statement<SightRow>(
  'chain.readSight',
  `
  select c.number, c.block_id as id, c.block_time as time, c.solid_number as "solidNumber",
         c.solid_id as "solidId", c.solid_time as "solidTime", h.number as "headNumber", h.block_time as "headTime",
         (extract(epoch from clock_timestamp() - h.seen_at) * 1000)::bigint as "headAgeMs",
         (extract(epoch from clock_timestamp() - h.first_seen_at) * 1000)::bigint as "headShownMs"
    from chain.cursor c left join chain.head h on true
`,
)

/** The later head wins, unless the stored one has not advanced for a minute: it may be wrong. */
const IS_NEWER = `(excluded.block_time > h.block_time
          or excluded.block_time < h.block_time and h.first_seen_at < excluded.seen_at - interval '1 minute')`

/** Ignores the head of a node that lags behind another. $3: its age in milliseconds. */
export const noteHead = statement(
  'chain.noteHead',
  `
  insert into chain.head as h (number, block_time, first_seen_at, seen_at)
  select $1, $2, g.at, g.at from (select clock_timestamp() - make_interval(secs => $3 / 1000.0)) as g(at)
  on conflict (only_row) do update
     set number = case when ${IS_NEWER} then excluded.number else h.number end,
         block_time = case when ${IS_NEWER} then excluded.block_time else h.block_time end,
         first_seen_at = case when ${IS_NEWER} then excluded.seen_at else h.first_seen_at end,
         seen_at = greatest(h.seen_at, excluded.seen_at)
`,
)

export const startCursor = statement(
  'chain.startCursor',
  `
  insert into chain.cursor (number, block_id, block_time, solid_number, solid_id, solid_time)
  values ($1, $2, $3, $1, $2, $3)
  on conflict (only_row) do nothing
`,
)

export const moveCursor = statement(
  'chain.moveCursor',
  `
  update chain.cursor set number = $1, block_id = $2, block_time = $3
`,
)

/** Returns no row when the node's solid block is not on the branch that we have read. */
export const raiseSolid = statement<{ number: bigint }>(
  'chain.raiseSolid',
  `
  update chain.cursor set solid_number = $1, solid_id = $2, solid_time = $3
   where solid_number < $1 and exists (select from chain.block b where b.id = $2 and b.on_chain)
  returning number
`,
)

export const insertBlock = statement(
  'chain.insertBlock',
  `
  insert into chain.block (id, number, parent_id, block_time, on_chain) values ($1, $2, $3, $4, true)
  on conflict (id) do update set on_chain = true
`,
)

export const orphanBlock = statement<{ parentId: string }>(
  'chain.orphanBlock',
  `
  update chain.block set on_chain = false where id = $1 returning parent_id as "parentId"
`,
)

export const findBlockOnChain = statement<{ id: string }>(
  'chain.findBlockOnChain',
  `
  select id from chain.block where id = $1 and on_chain
`,
)

export type BlockRow = { number: bigint; id: string; time: Date }

export const findBlock = statement<BlockRow>(
  'chain.findBlock',
  `
  select number, id, block_time as time from chain.block where id = $1
`,
)

export const forgetBlocks = statement(
  'chain.forgetBlocks',
  `
  delete from chain.block where number < $1
`,
)

export const insertWatched = statement(
  'chain.insertWatched',
  `
  insert into chain.watched (address, purpose)
  select a, $2 from unnest($1::text[]) as a
  on conflict (address) do nothing
`,
)

export type WatchedRow = { address: string; purpose: string }

export const watchedAfter = statement<WatchedRow>(
  'chain.watchedAfter',
  `
  select address, purpose from chain.watched where address > $1 order by address limit $2
`,
)

export const watchedSince = statement<WatchedRow>(
  'chain.watchedSince',
  `
  select address, purpose from chain.watched where added_by >= $1::xid8
`,
)

export const insertCallers = statement(
  'chain.insertCallers',
  `
  insert into chain.caller (address) select a from unnest($1::text[]) as a
  on conflict (address) do nothing
`,
)

export const callersSince = statement<{ address: string }>(
  'chain.callersSince',
  `
  select address from chain.caller where added_by >= $1::xid8
`,
)

export const currentSnapshot = statement<{ oldest: string }>(
  'chain.currentSnapshot',
  `
  select pg_snapshot_xmin(pg_current_snapshot())::text as oldest
`,
)

export const insertBroadcast = statement(
  'chain.insertBroadcast',
  `
  insert into chain.broadcast (txid, signed_bytes, expires_at, state)
  select * from unnest($1::text[], $2::bytea[], $3::timestamptz[], array_fill('pending'::text, array[cardinality($1)]))
  on conflict (txid) do nothing
`,
)

export type BroadcastRow = { txid: string; bytes: Buffer }

/**
 * Claims broadcasts that are due, the least recently sent first. Expired bytes, by our clock or by the
 * newest block read, are never sent again. The lease is the time of the last broadcast, by the
 * database's clock.
 */
export const claimBroadcasts = statement<BroadcastRow>(
  'chain.claimBroadcasts',
  `
  update chain.broadcast b
     set last_sent_at = clock_timestamp(), sends = b.sends + 1
   where b.txid in (
     select txid from chain.broadcast
      where state = 'pending'
        and expires_at > greatest($3::timestamptz, (select block_time from chain.cursor))
        and (last_sent_at is null or last_sent_at < clock_timestamp() - make_interval(secs => $1 / 1000.0))
      order by last_sent_at nulls first, expires_at, txid
      limit $2
        for update skip locked)
  returning b.txid, b.signed_bytes as bytes
`,
)

/** Skips locked rows: a scanner holds them because a block has included them. */
export const recordAnswers = statement(
  'chain.recordAnswers',
  `
  update chain.broadcast b set last_answer = g.answer
    from (select w.txid, g.answer
            from unnest($1::text[], $2::text[]) as g(txid, answer)
            join chain.broadcast w on w.txid = g.txid
           where w.state = 'pending'
           order by w.txid
             for update of w skip locked) g
   where b.txid = g.txid
`,
)

export const includeBroadcasts = statement<{ txid: string }>(
  'chain.includeBroadcasts',
  `
  update chain.broadcast set state = 'included', block_number = $2
   where txid = any ($1) and state <> 'included'
  returning txid
`,
)

export const returnBroadcasts = statement(
  'chain.returnBroadcasts',
  `
  update chain.broadcast set state = 'pending', block_number = null
   where state = 'included' and block_number = $1
`,
)

/** Expires bytes whose expiration solid time has passed and that no block up to the solid one holds. */
export const expireBroadcasts = statement<{ txid: string }>(
  'chain.expireBroadcasts',
  `
  update chain.broadcast set state = 'expired'
   where state = 'pending' and expires_at < $1
  returning txid
`,
)

export type BroadcastState = {
  txid: string
  state: 'pending' | 'included' | 'expired'
  answer: string | null
  blockNumber: bigint | null
}

export const readBroadcasts = statement<BroadcastState>(
  'chain.readBroadcasts',
  `
  select txid, state, last_answer as answer, block_number as "blockNumber" from chain.broadcast where txid = any ($1)
`,
)

/** Signed bytes that were sent several times, and that no block holds. */
export const countUnbroadcast = statement<{ count: bigint; soonest: Date | null }>(
  'chain.countUnbroadcast',
  `
  select count(*) as count, min(expires_at) as soonest from chain.broadcast where state = 'pending' and sends > 3
`,
)
