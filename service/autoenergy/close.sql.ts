import { statement } from '../db/index.ts'

export const deleteSubscriptionRow = statement(
  'autoenergy.deleteSubscriptionRow',
  `
  update autoenergy.subscription set deleted_at = $2 where id = $1
`,
)
