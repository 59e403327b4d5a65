import { statement } from '../db/index.ts'

export const drawBudget = statement<{ granted: bigint; msLeft: bigint }>(
  'http.drawBudget',
  `
  select granted, ms_left as "msLeft" from http.draw_budget($1, $2, $3, $4, $5, $6)
`,
)

/** Since an API node last reported; null: none is known. */
export const readSilence = statement<{ silentMs: bigint | null }>(
  'http.readSilence',
  `
  select (extract(epoch from clock_timestamp() - max(n.seen_at)) * 1000)::bigint as "silentMs" from http.node n
`,
)

export const registerNode = statement<{ nodes: bigint }>(
  'http.registerNode',
  `
  select http.register_node($1, $2) as nodes
`,
)
