import { statement } from '../db/index.ts'

export const writeTerms = statement(
  'agent.writeTerms',
  `
  update agent.terms set enabled = $1, min_balance_sun = $2, max_configs = $3, max_generated = $4, max_units_cap = $5
`,
)
