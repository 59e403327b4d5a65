import { statement } from '../db/index.ts'

export const emitMany = statement(
  'events.emitMany',
  `
  select events.emit_many($1, $2, $3, $4, $5, $6, $7::json[])
`,
)

export const prepareDays = statement<{ made: bigint }>(
  'events.prepareDays',
  `
  select events.prepare_days($1, $2) as made
`,
)
