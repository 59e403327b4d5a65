import { statement } from './statement.ts'

/** How far business time is ahead of wall time. */
export const AHEAD_MS = '(select ahead_ms from db.clock)'

export const readAhead = statement<{ aheadMs: bigint }>(
  'db.readAhead',
  `
  select ahead_ms as "aheadMs" from db.clock
`,
)

export const moveAhead = statement<{ aheadMs: bigint }>(
  'db.moveAhead',
  `
  update db.clock set ahead_ms = ahead_ms + $1 returning ahead_ms as "aheadMs"
`,
)
