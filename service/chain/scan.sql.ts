import { type Statement, statement } from '../db/index.ts'
import { CURSOR, type CursorRow } from './store.ts'
import { ADDED, type AddedRow } from './watch.sql.ts'

/** The cursor, locked, with everything that the facts of the next block are looked for by: one snapshot, taken after the block
 * was fetched. `treasury`: SQL of the addresses whose every transaction is a fact. */
export const lockCursorWith = (treasury: string): Statement<LockedRow> => ({
  name: 'chain.lockCursor',
  text: `
  select ${CURSOR}, ${ADDED}, ${treasury} as treasury from chain.cursor for update
`,
})

export type LockedRow = CursorRow & AddedRow & { treasury: string[] }

/** The later head wins, unless the stored one has not advanced for a minute: it may be wrong. */
const IS_NEWER = `(excluded.block_time > h.block_time
          or excluded.block_time < h.block_time and h.first_seen_at < excluded.seen_at - interval '1 minute')`

/**
 * Moves the cursor to the next block, $1 to $4, and writes what the node says: its solid block, $5 to $7, and its head, $8 to
 * $10 ($10: its age in milliseconds), whose rows are written with the block so that who follows them looks once. Each of the
 * three may be missing. Returns no row when the cursor is elsewhere, or has moved since the snapshot by which the rest is judged.
 *
 * The node's solid block counts when it is on the branch that we have read. Of a node that lags, the head is ignored.
 * Transactions of the block, $11, are included; bytes whose expiration solid time has passed and that no block holds, expired.
 *
 * For a block without facts $12 and $13 say by which additions and treasury there are none: with others no row is returned.
 */
export const advanceCursorWith = (treasury: string): Statement<AdvancedRow> => ({
  name: 'chain.advanceCursor',
  text: `
  with solid as (
    select $5::bigint as number, $6::text as id, $7::timestamptz as time
     where $6 = $2 or exists (select from chain.block b where b.id = $6 and b.on_chain)
  ), moved as (
    update chain.cursor c
       set number = coalesce($1, c.number), block_id = coalesce($2, c.block_id), block_time = coalesce($3, c.block_time),
           solid_number = greatest(c.solid_number, s.number),
           solid_id = case when s.number > c.solid_number then s.id else c.solid_id end,
           solid_time = case when s.number > c.solid_number then s.time else c.solid_time end
      from (select) one left join solid s on true
     where ($1::bigint is null or c.number = $1 - 1 and c.block_id = $4)
       and c.xmin = (select seen.xmin from chain.cursor seen)
       and ($12::xid8 is null
            or $13::text[] = ${treasury}
               and not exists (select from chain.watched w where w.added_by >= $12)
               and not exists (select from chain.caller a where a.added_by >= $12))
    returning c.solid_number, c.solid_time
  ), written as (
    insert into chain.block (id, number, parent_id, block_time, on_chain)
    select $2, $1, $4, $3, true from moved where $1 is not null
    on conflict (id) do update set on_chain = true
  ), noted as (
    insert into chain.head as h (number, block_time, first_seen_at, seen_at)
    select $8, $9, g.at, g.at
      from moved, (select clock_timestamp() - make_interval(secs => $10 / 1000.0)) as g(at)
     where $8::bigint is not null
    on conflict (only_row) do update
       set number = case when ${IS_NEWER} then excluded.number else h.number end,
           block_time = case when ${IS_NEWER} then excluded.block_time else h.block_time end,
           first_seen_at = case when ${IS_NEWER} then excluded.seen_at else h.first_seen_at end,
           seen_at = greatest(h.seen_at, excluded.seen_at)
  ), included as (
    update chain.broadcast set state = 'included', block_number = $1
     where txid = any ($11::text[]) and state <> 'included' and exists (select from moved)
  ), expired as (
    update chain.broadcast set state = 'expired'
     where state = 'pending' and txid <> all ($11) and expires_at < (select solid_time from moved)
    returning txid
  )
  select m.solid_number as "solidNumber", (select count(*) from expired) as expired from moved m
`,
})

export type AdvancedRow = { solidNumber: bigint; expired: bigint }

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

export const returnBroadcasts = statement(
  'chain.returnBroadcasts',
  `
  update chain.broadcast set state = 'pending', block_number = null
   where state = 'included' and block_number = $1
`,
)
