import { statement } from '../db/index.ts'

export type RecordedRow = { id: string; failures: number; isLong: boolean }

/** Records outcomes of attempts; returns the webhooks that changed. $9 is a jsonColumn. */
export const recordAttempts = statement<RecordedRow>(
  'webhooks.recordAttempts',
  `
  select id, failures, is_long as "isLong" from webhooks.record_attempts($1, $2, $3, $4, $5, $6, $7, $8, string_to_array($9::text, E'\\x1e'))
`,
)
