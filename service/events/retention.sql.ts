import { statement } from '../db/index.ts'

export const dropBefore = statement<{ rows: bigint }>(
  'events.dropBefore',
  `
  select events.drop_before($1, $2) as rows
`,
)
