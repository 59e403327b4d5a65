import { statement } from '../../db/index.ts'

export const skipPayment = statement(
  'agent.skipPayment',
  `
  update agent.payment set status = 'skipped', skip_reason = $2, decided_at = $3 where id = $1
`,
)
