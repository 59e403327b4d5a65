import { statement } from './statement.ts'

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
