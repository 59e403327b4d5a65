import { statement } from '../db/index.ts'
import { CURSOR, type CursorRow } from './store.ts'

export const lockCursor = statement<CursorRow>(
  'chain.lockCursor',
  `
  select ${CURSOR} from chain.cursor for update
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
