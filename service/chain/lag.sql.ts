import { statement } from '../db/index.ts'
import type { CursorRow } from './store.ts'

/** The cursor, and the newest head with its ages; null before the first head. */
export type SightRow = CursorRow & {
  headNumber: bigint | null
  headTime: Date | null
  /** Since a node last answered. */
  headAgeMs: bigint | null
  /** Since this head was first seen. */
  headShownMs: bigint | null
  /** Changes whenever a scanner has asked a node for its head. */
  headMark: string | null
}

export const readSight = statement<SightRow>(
  'chain.readSight',
  `
  select c.number, c.block_id as id, c.block_time as time, c.solid_number as "solidNumber",
         c.solid_id as "solidId", c.solid_time as "solidTime", h.number as "headNumber", h.block_time as "headTime",
         (extract(epoch from clock_timestamp() - h.seen_at) * 1000)::bigint as "headAgeMs",
         (extract(epoch from clock_timestamp() - h.first_seen_at) * 1000)::bigint as "headShownMs",
         h.xmin::text as "headMark"
    from chain.cursor c left join chain.head h on true
`,
)
